#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "daemon/harness/reporter.hpp"
#include "daemon/harness/run_test.hpp"
#include "runners/host/machine_facts.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::daemon::harness {

/// What all results of one command have in common.
struct RunLabels {
  std::string run_type = "benchmark";
  std::vector<std::string> regressed_types = {};
  std::string framework = {};
  std::string backend = {};
  std::string device = "host";
  std::vector<std::string> command = {};  ///< as typed, without secrets
  std::string user_identifier = {};
  std::string user_string = {};
  runners::MachineFacts host = {};
  runners::IsolationFacts isolation = {};
};

/// The record that reporters are given. Its id is new each time.
[[nodiscard]] RunRecord record_of(const Test& test, const TestRun& run, const ReportedBuild& treatment,
                                  const std::optional<ReportedBuild>& control, const RunLabels& labels);

/// What tells this host and device from others: {DEVICEHASH}, and the platform's hash of a record.
[[nodiscard]] std::string device_hash(const RunLabels& labels);

/// The reporters that the settings ask for; the token is read from its file. Throws InputError.
[[nodiscard]] harness::ReporterSettings reporters_of(const config::HarnessSettings& settings,
                                                     const std::filesystem::path& state_dir);

/// The words of a command line as they may be kept: what follows a flag with a secret is replaced.
[[nodiscard]] std::vector<std::string> without_secrets(std::vector<std::string> words);

/// One build as FAI-PEP's info JSON names it.
struct InfoBuild {
  std::string commit;                                     ///< empty: the program's file name
  std::int64_t commit_time = 0;                           ///< 0: not known
  std::filesystem::path program;                          ///< empty: the commit is to be built
  std::map<std::string, std::filesystem::path> programs;  ///< beside it, by placeholder
  std::map<std::string, std::string> string_map;
  std::string diff;
  std::string version;
};

/// What `--info` says. Fields that it does not say stay empty.
struct RunInfo {
  std::optional<InfoBuild> treatment;
  std::optional<InfoBuild> control;
  std::vector<std::filesystem::path> shared_libs;
  std::vector<std::string> regressed_types;
  std::string run_type;
  std::string user;
};

/// Reads `--info`: JSON text, or the path of a file that holds it. Throws InputError with the place of what
/// is wrong.
[[nodiscard]] RunInfo read_run_info(const std::string& text_or_file);

}  // namespace tandem::daemon::harness
