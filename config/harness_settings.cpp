#include "config/harness_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/checks.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::config {
namespace {

namespace fs = std::filesystem;
using specs::Keys;
using specs::Node;
using Texts = std::map<std::string, std::string>;

/// One setting with its name; the table below is the only list of them.
template <class Type>
struct Field {
  const char* name;
  Type HarnessSettings::*setting;
  std::optional<Type> HarnessOverrides::*said;
};

constexpr Field<fs::path> paths[] = {
    {"model_cache", &HarnessSettings::model_cache, &HarnessOverrides::model_cache},
    {"root_model_dir", &HarnessSettings::root_model_dir, &HarnessOverrides::root_model_dir},
    {"local_reporter", &HarnessSettings::local_reporter, &HarnessOverrides::local_reporter},
    {"simple_local_reporter", &HarnessSettings::simple_local_reporter,
     &HarnessOverrides::simple_local_reporter},
    {"csv_reporter", &HarnessSettings::csv_reporter, &HarnessOverrides::csv_reporter},
    {"json_lines_reporter", &HarnessSettings::json_lines_reporter, &HarnessOverrides::json_lines_reporter},
    {"remote_access_token_file", &HarnessSettings::remote_access_token_file,
     &HarnessOverrides::remote_access_token_file}};

constexpr Field<std::string> texts[] = {
    {"run_type", &HarnessSettings::run_type, &HarnessOverrides::run_type},
    {"remote_reporter", &HarnessSettings::remote_reporter, &HarnessOverrides::remote_reporter},
    {"backend", &HarnessSettings::backend, &HarnessOverrides::backend},
    {"command_args", &HarnessSettings::command_args, &HarnessOverrides::command_args},
    {"devices", &HarnessSettings::devices, &HarnessOverrides::devices},
    {"excluded_devices", &HarnessSettings::excluded_devices, &HarnessOverrides::excluded_devices},
    {"user_identifier", &HarnessSettings::user_identifier, &HarnessOverrides::user_identifier},
    {"user_string", &HarnessSettings::user_string, &HarnessOverrides::user_string}};

constexpr Field<Texts> maps[] = {{"env", &HarnessSettings::env, &HarnessOverrides::env},
                                 {"string_map", &HarnessSettings::string_map, &HarnessOverrides::string_map}};

template <class Type>
void take_if(Type& to, const std::optional<Type>& from) {
  if (from) to = *from;
}

fs::path absolute_path(const std::string& flag, const fs::path& path) {
  if (const std::string wrong = complain_of_path(path); !wrong.empty())
    throw InputError(fmt::format("--{}: {}", flag, wrong));
  return fs::absolute(path).lexically_normal();
}

std::string complain_of_run_type(const std::string& type) {
  if (type == "benchmark" || type == "verify" || type == "regress") return {};
  return fmt::format("found {}; expected \"benchmark\", \"verify\" or \"regress\"", in_quotes(type));
}

std::string complain_of_variable(const std::string& name) {
  if (!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos) return {};
  return "is not a name of an environment variable; write a name without \"=\"";
}

void refuse_path_if(const std::string& complaint, const Node& node) {
  if (!complaint.empty()) node.fail(complaint);
}

fs::path read_path(const Node& node, const fs::path& folder) {
  const fs::path value = node.as_string();
  refuse_path_if(complain_of_path(value), node);
  return (folder / value).lexically_normal();
}

Texts read_texts(const Node& node, std::string (*complain_of_name)(const std::string&)) {
  Texts values;
  for (const specs::Member& member : node.members()) {
    if (complain_of_name != nullptr) refuse_path_if(complain_of_name(member.key), member.value);
    values.emplace(member.key, member.value.scalar_text());
  }
  return values;
}

}  // namespace

void apply(HarnessSettings& settings, const HarnessOverrides& said) {
  for (const auto& field : paths) take_if(settings.*field.setting, said.*field.said);
  for (const auto& field : texts) take_if(settings.*field.setting, said.*field.said);
  for (const auto& field : maps) {
    if (!(said.*field.said)) continue;
    for (const auto& [name, value] : *(said.*field.said)) (settings.*field.setting)[name] = value;
  }
  take_if(settings.remote_access_token, said.remote_access_token);
  take_if(settings.regressed_types, said.regressed_types);
  take_if(settings.shared_libs, said.shared_libs);
  take_if(settings.screen_reporter, said.screen_reporter);
}

HarnessOverrides checked(HarnessOverrides flags) {
  for (const auto& field : paths) {
    if (auto& path = flags.*field.said) *path = absolute_path(field.name, *path);
  }
  if (flags.shared_libs) {
    for (fs::path& library : *flags.shared_libs) library = absolute_path("shared_libs", library);
  }
  if (flags.run_type) {
    if (const std::string wrong = complain_of_run_type(*flags.run_type); !wrong.empty())
      throw InputError("--run_type: " + wrong);
  }
  return flags;
}

const Keys& harness_keys() {
  static const Keys keys = [] {
    Keys all = {"regressed_types", "shared_libs", "screen_reporter"};
    for (const auto& field : paths) all.emplace_back(field.name);
    for (const auto& field : texts) all.emplace_back(field.name);
    for (const auto& field : maps) all.emplace_back(field.name);
    return all;
  }();
  return keys;
}

HarnessOverrides read_harness(const Node& root, const fs::path& folder, specs::Problems& problems) {
  HarnessOverrides said;
  const auto with = [&](const char* key, auto&& read) {
    if (const auto node = root.find(key)) problems.attempt([&] { read(*node); });
  };
  for (const auto& field : paths)
    with(field.name, [&](const Node& node) { said.*field.said = read_path(node, folder); });
  for (const auto& field : texts)
    with(field.name, [&](const Node& node) { said.*field.said = node.as_string(); });
  with("run_type", [&](const Node& node) { refuse_path_if(complain_of_run_type(*said.run_type), node); });
  with("env", [&](const Node& node) { said.env = read_texts(node, complain_of_variable); });
  with("string_map", [&](const Node& node) { said.string_map = read_texts(node, nullptr); });
  with("screen_reporter", [&](const Node& node) { said.screen_reporter = node.as_bool(); });
  with("regressed_types", [&](const Node& node) {
    said.regressed_types.emplace();
    for (const Node& item : node.items()) said.regressed_types->push_back(item.as_string());
  });
  with("shared_libs", [&](const Node& node) {
    said.shared_libs.emplace();
    for (const Node& item : node.items()) said.shared_libs->push_back(read_path(item, folder));
  });
  return said;
}

std::string added_arguments(const HarnessSettings& settings) {
  std::string all = settings.command_args;
  if (!settings.backend.empty())
    all += fmt::format("{}--backend {}", all.empty() ? "" : " ", settings.backend);
  return all;
}

std::pair<std::string, std::string> environment_entry(const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !complain_of_variable(name).empty())
    throw InputError(fmt::format("--env: found {}; expected NAME=value", in_quotes(text)));
  return {name, text.substr(equals + 1)};
}

Texts string_map_of(const std::string& text) {
  return read_texts(specs::JsonDocument::parse(text, "--string_map").root(), nullptr);
}

}  // namespace tandem::config
