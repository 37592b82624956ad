#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specs/json/document.hpp"

namespace tandem::config {

/// What FAI-PEP's harness is told beside what to measure: one field for each flag of the same name, of
/// `tandem run` and of the daemon alike. What is empty was not said.
struct HarnessSettings {
  std::filesystem::path model_cache;     ///< default: STATE_DIR/models
  std::filesystem::path root_model_dir;  ///< what "//" in a file's location means
  std::string run_type = "benchmark";    ///< how results are labelled: benchmark, verify or regress
  std::vector<std::string> regressed_types;
  std::filesystem::path local_reporter;
  std::filesystem::path simple_local_reporter;
  std::filesystem::path csv_reporter;
  std::filesystem::path json_lines_reporter;
  bool screen_reporter = false;
  std::string remote_reporter;  ///< "URL|CATEGORY"
  std::filesystem::path remote_access_token_file;
  std::string remote_access_token;  ///< flags only: a config file is no place for a secret
  std::string backend;              ///< given to every program as --backend
  std::string command_args;         ///< added to every command with {program}
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> string_map;  ///< placeholders
  std::string devices;                            ///< named core sets of this host: runners/host/devices.hpp
  std::string excluded_devices;
  std::vector<std::filesystem::path> shared_libs;
  std::string user_identifier;
  std::string user_string;
};

/// What one source says of them.
struct HarnessOverrides {
  std::optional<std::filesystem::path> model_cache, root_model_dir, local_reporter, simple_local_reporter;
  std::optional<std::filesystem::path> csv_reporter, json_lines_reporter, remote_access_token_file;
  std::optional<std::string> run_type, remote_reporter, remote_access_token, backend, command_args;
  std::optional<std::string> devices, excluded_devices, user_identifier, user_string;
  std::optional<std::vector<std::string>> regressed_types;
  std::optional<std::vector<std::filesystem::path>> shared_libs;
  std::optional<std::map<std::string, std::string>> env, string_map;
  std::optional<bool> screen_reporter;
};

/// Maps are merged, `said` going before what is there; all else is replaced.
void apply(HarnessSettings& settings, const HarnessOverrides& said);

/// The flags with every value checked and every path absolute. Throws InputError that names the flag.
[[nodiscard]] HarnessOverrides checked(HarnessOverrides flags);

/// The keys of a config file that `read_harness` knows.
[[nodiscard]] const specs::Keys& harness_keys();
/// Reads them from the top of a config file in `folder`.
[[nodiscard]] HarnessOverrides read_harness(const specs::Node& root, const std::filesystem::path& folder,
                                            specs::Problems& problems);

/// What is added to every command with {program}: `command_args`, and the backend as a flag.
[[nodiscard]] std::string added_arguments(const HarnessSettings& settings);

/// "NAME=value" of `--env`. Throws InputError.
[[nodiscard]] std::pair<std::string, std::string> environment_entry(const std::string& text);
/// The object of `--string_map` as FAI-PEP takes it: JSON text. Throws InputError.
[[nodiscard]] std::map<std::string, std::string> string_map_of(const std::string& text);

}  // namespace tandem::config
