#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::daemon::commands {

/// `tandem calibrate [PROGRAM [-- ARGUMENTS]]`.
struct CalibrateOptions {
  std::string program;  ///< empty: the one that is installed for this
  std::vector<std::string> arguments;
  std::string filter;                       ///< only benchmarks whose name contains it
  double margin = 0.01;                     ///< as a share
  double budget_seconds = 30;               ///< of one benchmark
  std::optional<runners::Pairing> pairing;  ///< nothing: all that are possible
  std::optional<std::uint64_t> seed;
  double timeout_seconds = 60;  ///< of one launch
  std::optional<std::filesystem::path> state_dir;
  enum class Action { measure, show_stored } action = Action::measure;
  Format format = Format::text;
};

/// Measures the program next to itself, writes what that says about this host to standard output and keeps it
/// in the state directory, under the watch "by hand". Returns 0; 3 if a benchmark is unfit or unmeasurable; 4
/// if a program failed. Throws `InputError`.
int run_calibrate_command(const CalibrateOptions& options, const std::stop_token& stop);

}  // namespace tandem::daemon::commands
