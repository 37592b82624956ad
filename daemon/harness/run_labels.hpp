#pragma once

#include <string>
#include <vector>

#include "config/harness_settings.hpp"
#include "daemon/harness/run_test.hpp"
#include "daemon/reporters/reporter.hpp"
#include "runners/machine_facts.hpp"
#include "runners/sandbox.hpp"

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
[[nodiscard]] reporters::RunRecord record_of(const Test& test, const TestRun& run,
                                             const reporters::ReportedBuild& treatment,
                                             const std::optional<reporters::ReportedBuild>& control,
                                             const RunLabels& labels);

/// What tells this host and device from others: {DEVICEHASH}, and the platform's hash of a record.
[[nodiscard]] std::string device_hash(const RunLabels& labels);

/// The reporters that the settings ask for; the token is read from its file. Throws InputError.
[[nodiscard]] reporters::ReporterSettings reporters_of(const config::HarnessSettings& settings,
                                                       const std::filesystem::path& state_dir);

/// The words of a command line as they may be kept: what follows a flag with a secret is replaced.
[[nodiscard]] std::vector<std::string> without_secrets(std::vector<std::string> words);

}  // namespace tandem::daemon::harness
