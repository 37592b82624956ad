#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"
#include "specs/benchmark/spec.hpp"

namespace tandem::daemon::commands {

/// `tandem check FILE…`: benchmark files, suites and configurations, told apart by their keys.
struct CheckOptions {
  std::vector<std::filesystem::path> files;
  specs::SpecOptions options;
  Format format = Format::text;
  std::optional<std::string> schema;  ///< prints the JSON Schema of "benchmark" (or "") files instead
};

/// Writes every problem of every file to standard output, each with its place and what is allowed there, then
/// how many there are. Notices are what is accepted and has no effect; they are no problems. Returns 0, or 2
/// if there is a problem. Throws `InputError` when there is nothing to check.
int run_check_command(const CheckOptions& options);

}  // namespace tandem::daemon::commands
