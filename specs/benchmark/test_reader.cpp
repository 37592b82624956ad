#include <fmt/format.h>

#include <algorithm>

#include "specs/benchmark/readers.hpp"

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
  read(view.model.find("files"), "files", Role::read, spec.files);
  read(view.of_test("files"), "files", Role::read, spec.files);
  read(view.of_test("input_files"), "input_files", Role::read, spec.files);
  read(view.of_test("output_files"), "output_files", Role::written, spec.files);
  for (const std::string step : {"preprocess", "postprocess"}) {
    if (const auto process = view.model.find(step))
      read(process->find("files"), step + ".files", Role::read, spec.files);
    if (const auto process = view.of_test(step.c_str()))
      read(process->find("files"), step + ".files", Role::read, spec.files);
  }
  read(view.model.find("libraries"), "libraries", Role::read, spec.libraries);
}

namespace {

/// FAI-PEP writes -1 for "not said".
std::optional<int> read_count(const Node& node) {
  const auto value = node.as_integer();
  return value == -1 ? std::nullopt : std::optional(static_cast<int>(value));
}

/// A text that names something in results.
std::string read_label(const TestView& view, const Node& node, const std::string& text) {
  std::string label = expand_placeholders(node, text, view.scope, Keep::nothing);
  if (has_control_characters(label)) node.fail("holds a control character; remove it");
  return label;
}

/// The arguments of the test hide those of the model, as in FAI-PEP.
PlatformArgs platform_args_of(const TestView& view) {
  if (const auto args = view.test.find("platform_args")) return read_platform_args(view, MergedValue(*args));
  if (const auto args = view.model.find("platform_args")) return read_platform_args(view, *args);
  return {};
}

std::optional<Seconds> read_timeout(const TestView& view, const PlatformArgs& args) {
  const bool of_test = view.test.has("platform_args");
  if (const auto timeout = view.test.find("timeout")) return Seconds{timeout->as_number()};
  if (of_test && args.timeout) return args.timeout;
  if (const auto timeout = view.model.find("timeout")) return Seconds{timeout->node().as_number()};
  return args.timeout;
}

void read_machine(const TestView& view, Problems& problems, BenchmarkSpec& spec) {
  PlatformArgs args;
  problems.attempt([&] { args = platform_args_of(view); });
  spec.timeout = read_timeout(view, args);
  spec.ignore_status = args.ignore_status;
  spec.log_output = args.log_output.value_or(false);
  if (const auto log = view.nearest("log_output")) spec.log_output = read_flag(*log);
  spec.cpus = args.cpus;
  if (const auto list = view.test.find("cpu-list")) {
    problems.attempt([&] {
      if (auto cpus = read_cpu_list(*list); !cpus.empty()) spec.cpus = std::move(cpus);
    });
  }
  problems.attempt([&] {
    if (const auto env = view.test.find("env")) spec.env = read_env(view, MergedValue(*env));
  });
  for (const char* threads : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    const auto count = view.test.find(threads);
    if (count && count->as_integer() > 0) spec.env.emplace(threads, std::to_string(count->as_integer()));
  }
  spec.env.merge(args.env);
}

void read_names(const TestView& view, const std::string& suffix, Problems& problems, BenchmarkSpec& spec) {
  const auto label = [&](const std::optional<Node>& node, std::string& to, const std::string& more = "") {
    if (node) problems.attempt([&] { to = read_label(view, *node, node->as_string() + more); });
  };
  const auto of_model = [&](const char* key) {
    const auto value = view.model.find(key);
    return value ? std::optional(value->node()) : std::nullopt;
  };
  label(of_model("name"), spec.model);
  label(of_model("format"), spec.format);
  label(of_model("framework"), spec.framework);
  label(view.nearest("group"), spec.group);
  label(view.test.find("metric"), spec.metric);
  label(view.test.find("identifier"), spec.identifier, suffix);
  const auto tag = [&](const Node& node) {
    if (std::find(spec.tags.begin(), spec.tags.end(), node.as_string()) == spec.tags.end())
      spec.tags.push_back(node.as_string());
  };
  if (const auto tags = view.test.find("tags")) {
    for (const Node& node : tags->items()) tag(node);
  }
  if (const auto tags = view.model.find("tags")) {
    for (const Node& node : tags->items()) tag(node);
  }
}

void read_choices(const TestView& view, BenchmarkSpec& spec) {
  if (const auto node = view.nearest("protocol"))
    spec.protocol = read_choice<Protocol>(*node, protocol_names);
  if (const auto node = view.nearest("direction"))
    spec.direction = read_choice<Direction>(*node, direction_names);
  if (const auto node = view.nearest("pairing")) spec.pairing = node->as_string();
  if (const auto node = view.nearest("margin")) spec.margin = node->as_number();
}

void read_host_steps(const TestView& view, Problems& problems, BenchmarkSpec& spec) {
  const auto read = [&](const std::optional<MergedValue>& process, std::vector<HostCommand>& to) {
    if (process) problems.attempt([&] { to = read_host_commands(view, *process); });
  };
  read(view.model.find("preprocess"), spec.model_before);
  read(view.of_test("preprocess"), spec.before);
  read(view.of_test("postprocess"), spec.after);
  read(view.model.find("postprocess"), spec.model_after);
}

}  // namespace

BenchmarkSpec read_test(const TestView& view, const std::string& suffix, Problems& problems) {
  BenchmarkSpec spec;
  spec.file = view.test.node().file();
  spec.where = view.test.node().position();
  read_names(view, suffix, problems, spec);
  read_choices(view, spec);
  read_machine(view, problems, spec);
  if (const auto iter = view.test.find("iter")) spec.iter = read_count(*iter);
  if (const auto warmup = view.test.find("warmup")) spec.warmup = read_count(*warmup);
  if (const auto repeat = view.model.find("repeat"))
    spec.repeat = static_cast<int>(repeat->node().as_integer());
  if (const auto cooldown = view.model.find("cooldown"))
    spec.cooldown = Seconds{cooldown->node().as_number()};
  if (const auto statistics = view.test.find("statistics")) {
    for (const Node& item : statistics->items()) spec.statistics.push_back(item.as_string());
  }
  read_metrics(view.test, problems, spec);
  if (const auto converter = view.model.find("converter")) spec.converter = read_converter(*converter);
  read_files(view, problems, spec);
  read_host_steps(view, problems, spec);
  problems.attempt([&] { spec.commands = read_commands(view, spec.protocol); });
  return spec;
}

}  // namespace tandem::specs
