#include "specs/files_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/nearest.hpp"

namespace tandem::specs {
namespace {

constexpr std::size_t most_files = 1000;  // of one benchmark

std::string in_lower_case(std::string text) {
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
  return text == "directory" ? "" : in_lower_case(std::move(text));
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

FileSpec read_file(const TestView& view, const MergedValue& value, std::string key, FileSpec::Role role) {
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
      FileSpec file = read_file(view, value, key, role);
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

}  // namespace tandem::specs
