#pragma once

#include <string>
#include <variant>
#include <vector>

#include "daemon/commands/commands.hpp"

namespace tandem::daemon::commands {

/// Text to print instead of work: help or the version.
struct Message {
  std::string text;
};

/// `tandem internal-fetch …`: the daemon's own child.
struct FetchChild {
  std::vector<std::string> arguments;
};

using Command = std::variant<Message, CompareOptions, RunOptions, CheckOptions, DaemonOptions, BisectOptions,
                             ReportOptions, RecordOptions, QueueOptions, StatusOptions, CacheOptions,
                             CalibrateOptions, PlatformOptions, FetchChild>;

/// Reads the command line. Throws `InputError` with one sentence that names the flag and what is allowed.
[[nodiscard]] Command read_command_line(int argc, const char* const* argv);

}  // namespace tandem::daemon::commands
