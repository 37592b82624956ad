#pragma once

#include <string>

#include "daemon/commands/compare.hpp"
#include "daemon/commands/walk_commands.hpp"

namespace tandem::daemon::commands {

/// `tandem bisect GOOD BAD`: which commit after GOOD, up to BAD, changed a benchmark.
struct BisectOptions {
  DaemonOptions daemon;  ///< what is watched, as the daemon takes it; a running one knows it already
  std::string good;
  std::string bad;
  std::string benchmark;  ///< empty: all
  std::string watch;      ///< may be empty if there is one only
  Format format = Format::text;
};

/// Asks the daemon of the state directory if one runs, else searches in this process. Shows progress on
/// standard error, the answer on standard output, and returns the exit code of the design. Throws
/// `InputError`.
int run_bisect_command(const BisectOptions& options, EventLoop& events);

}  // namespace tandem::daemon::commands
