#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"
#include "daemon/commands/walk_commands.hpp"

namespace tandem::daemon::commands {

/// `tandem run [[CONTROL] TREATMENT] [-- ARGUMENTS]`: specs, or a program's own benchmarks, once.
struct RunOptions {
  DaemonOptions daemon;                ///< everything that it shares with the daemon
  std::vector<std::string> builds;     ///< at most two: programs, or commits of --repo_dir
  std::vector<std::string> arguments;  ///< of a program without a spec
  std::string info;                    ///< FAI-PEP's: JSON text or a file
  std::string filter;
  std::optional<std::uint64_t> seed;
  std::optional<runners::Pairing> pairing;
  std::optional<runners::Protocol> protocol;
  std::vector<std::string> command;  ///< as typed, without secrets
  Format format = Format::text;      ///< json: the records as lines on standard output
};

/// Results go to the reporters; without any, to the screen. Returns the exit code of the design. Throws
/// `InputError`.
int run_run_command(const RunOptions& options, const std::stop_token& stop);

}  // namespace tandem::daemon::commands
