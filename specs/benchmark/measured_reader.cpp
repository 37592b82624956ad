#include "specs/benchmark/measured_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/benchmark/model_reader.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {

namespace {

constexpr std::size_t most_files = 1000;  // of one benchmark

std::string lower_case_digest(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// FAI-PEP's empty and "directory" mean that there is no digest.
std::string read_digest(const MergedValue& file, const char* key) {
  const auto digest = file.find(key);
  if (!digest || digest->kind() == Kind::null) return "";
  std::string text = digest->node().as_string();
  return text == "directory" ? "" : lower_case_digest(std::move(text));
}

std::string last_part(const std::string& location) {
  std::string path = location.substr(0, location.find_first_of("?#"));
  while (path.ends_with('/')) path.pop_back();
  return path.substr(path.find_last_of('/') + 1);
}

std::string read_filename(const Node& where, std::string name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    where.fail(fmt::format("gives the file name {}; write a \"filename\" without folders", in_quotes(name)));
  }
  return name;
}

FileSpec read_one_file(const TestView& view, const MergedValue& value, std::string key, FileSpec::Role role) {
  const Node& node = value.node();
  FileSpec file;
  file.role = role;
  file.key = std::move(key);
  file.file = node.file();
  file.where = node.position();
  const auto name = value.find("filename");
  const auto location = value.find("location");
  if (!location && (role == FileSpec::Role::read || !name)) static_cast<void>(node.at("location"));
  file.location =
      location ? view.expand(location->node(), Keep::runners) : "{TGTDIR}/" + name->node().as_string();
  file.filename = name ? read_filename(name->node(), view.expand(name->node(), Keep::runners))
                       : read_filename(location->node(), last_part(file.location));
  if (!location) file.location = "{TGTDIR}/" + file.filename;
  file.md5 = read_digest(value, "md5");
  file.sha256 = read_digest(value, "sha256");
  if (const auto converter = value.find("converter")) file.converter = read_converter(*converter);
  return file;
}

/// The files of one field; `prefix` is what placeholders call it.
void read_group(const TestView& view, const MergedValue& group, const std::string& prefix,
                FileSpec::Role role, Problems& problems, std::vector<FileSpec>& files) {
  const auto add = [&](const MergedValue& value, const std::string& key) {
    problems.attempt([&] {
      if (files.size() >= most_files)
        value.node().fail(fmt::format("is past {} files; write fewer", most_files));
      FileSpec file = read_one_file(view, value, key, role);
      std::erase_if(files, [&](const FileSpec& other) { return other.key == file.key; });
      files.push_back(std::move(file));
    });
  };
  const auto add_all = [&](const MergedValue& list, const std::string& key) {
    std::size_t place = 0;
    for (const Node& item : list.items()) add(MergedValue(item), key + "." + std::to_string(place++));
  };
  if (group.kind() == Kind::array) {
    add_all(group, prefix);
    return;
  }
  for (const auto& [name, value] : group.members()) {
    const std::string key = fmt::format("{}.{}", prefix, name);
    if (value.kind() == Kind::array) {
      add_all(value, key);
    } else {
      add(value, key);
    }
  }
}

}  // namespace

ConverterSpec read_converter(const MergedValue& value) {
  ConverterSpec converter;
  converter.name = value.find("name")->node().as_string();
  if (const auto args = value.find("args")) {
    for (const auto& [key, argument] : args->members())
      converter.args.emplace(key, argument.node().scalar_text());
  }
  return converter;
}

void read_files(const TestView& view, Problems& problems, BenchmarkSpec& spec) {
  using Role = FileSpec::Role;
  const auto read = [&](const std::optional<MergedValue>& group, const std::string& prefix, Role role,
                        std::vector<FileSpec>& files) {
    if (group) read_group(view, *group, prefix, role, problems, files);
  };
  const auto of_test = [&](const char* key) {
    const auto node = view.test.find(key);
    return node ? std::optional(MergedValue(*node)) : std::nullopt;
  };
  read(view.model.find("files"), "files", Role::read, spec.files);
  read(of_test("files"), "files", Role::read, spec.files);
  read(of_test("input_files"), "input_files", Role::read, spec.files);
  read(of_test("output_files"), "output_files", Role::written, spec.files);
  for (const std::string step : {"preprocess", "postprocess"}) {
    if (const auto process = view.model.find(step))
      read(process->find("files"), step + ".files", Role::read, spec.files);
    if (const auto process = of_test(step.c_str()))
      read(process->find("files"), step + ".files", Role::read, spec.files);
  }
  read(view.model.find("libraries"), "libraries", Role::read, spec.libraries);
}

namespace {

namespace fs = std::filesystem;
const Keys types = {"text", "float32", "float64"};
const Keys counters = {"auto", "perf", "callgrind"};

template <class Enum>
Enum read_metric_choice(const Node& node, const Keys& names) {
  const std::string name = node.as_choice(names);
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// The file lies in the spec's own folder or below it.
fs::path read_golden_file(const Node& node) {
  const fs::path written = read_name(node);
  const fs::path plain = written.lexically_normal();
  if (written.is_absolute() || plain.begin() == plain.end() || *plain.begin() == "..") {
    node.fail(fmt::format("found {}; expected a path inside the folder of this file", node.found()));
  }
  fs::path file = (fs::path(node.file()).parent_path() / plain).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    node.fail(
        fmt::format("there is no file {}; write a path relative to this file", in_quotes(file.string())));
  }
  return file;
}

/// Programs write where every launch has a directory of its own.
std::string read_golden_output(const Node& node) {
  std::string output = read_name(node);
  constexpr std::array<std::string_view, 3> roots = {"{TGTDIR}/", "{HOSTDIR}/", "{TEMPDIR}/"};
  for (const std::string_view root : roots) {
    if (!output.starts_with(root)) continue;
    const fs::path below = fs::path(output.substr(root.size())).lexically_normal();
    if (below.is_relative() && below.begin() != below.end() && *below.begin() != "..") return output;
  }
  node.fail(
      fmt::format("found {}; expected a path such as \"{{TGTDIR}}/output.txt\", or no \"output\" for "
                  "what the program prints",
                  node.found()));
}

Golden::Type type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".f32" || extension == ".float32") return Golden::Type::float32;
  if (extension == ".f64" || extension == ".float64") return Golden::Type::float64;
  return Golden::Type::text;
}

Golden read_golden(const Node& node) {
  Golden golden;
  golden.file = read_golden_file(node.at("file"));
  golden.type = type_of(golden.file);
  if (const auto output = node.find("output")) golden.output = read_golden_output(*output);
  if (const auto absolute = node.find("absolute")) golden.absolute = absolute->as_number(0);
  if (const auto relative = node.find("relative")) golden.relative = relative->as_number(0);
  if (const auto type = node.find("type")) golden.type = read_metric_choice<Golden::Type>(*type, types);
  return golden;
}

}  // namespace

const std::vector<std::string_view>& metric_names() {
  static const std::vector<std::string_view> names = {"time", "cpu_time",     "peak_memory",
                                                      "size", "instructions", "error"};
  return names;
}

void read_metrics(const CheckedObject& test, Problems& problems, BenchmarkSpec& spec) {
  const auto field = [&](const char* key, auto&& read) {
    if (const auto node = test.find(key)) problems.attempt([&] { read(*node); });
  };
  field("metrics", [&](const Node& node) {
    for (const Node& item : node.items()) {
      problems.attempt([&] {
        std::string name = item.as_string();
        if (std::find(spec.metrics.begin(), spec.metrics.end(), name) != spec.metrics.end())
          item.fail(fmt::format("names {} a second time; keep one", in_quotes(name)));
        spec.metrics.push_back(std::move(name));
      });
    }
  });
  field("golden", [&](const Node& node) { spec.golden = read_golden(node); });
  field("instructions", [&](const Node& node) {
    spec.instructions = read_metric_choice<InstructionCounter>(node, counters);
  });
  const auto named = [&](const char* name) {
    return std::find(spec.metrics.begin(), spec.metrics.end(), name) != spec.metrics.end();
  };
  // What is wrong in itself is not there; nothing is to be said about its company then.
  const auto is_sound = [&](const char* key) { return test.has(key) || !test.node().has(key); };
  if (!is_sound("metrics") || !is_sound("golden") || !is_sound("instructions")) return;
  // Each of the two belongs to one metric and would silently do nothing without it.
  field("golden", [&](const Node& node) {
    if (!named("error")) node.fail("has no effect; add \"error\" to \"metrics\"");
  });
  field("instructions", [&](const Node& node) {
    if (!named("instructions")) node.fail("has no effect; add \"instructions\" to \"metrics\"");
  });
  field("metrics", [&](const Node& node) {
    if (named("error") && !test.has("golden"))
      node.fail("names \"error\"; add \"golden\": {\"file\": …} to say against which numbers");
  });
}

}  // namespace tandem::specs
