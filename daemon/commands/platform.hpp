#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/commands/compare.hpp"

namespace tandem::daemon::commands {

/// `tandem platform [--json | --fix [-- COMMAND] | --restore]`.
struct PlatformOptions {
  enum class Action { show, fix, restore } action = Action::show;
  Format format = Format::text;
  std::optional<std::filesystem::path> state_dir;  ///< of the journal; nothing: /run/tandem
  std::vector<std::string> command;                ///< of `fix`; empty: until a stop request
  std::filesystem::path root = "/";                ///< above /proc and /sys
  std::chrono::milliseconds steal_time{1000};
};

/// Shows the host's readiness and returns 0. `fix` sets the host up, holds it so and sets it back, and
/// returns the command's status; it and `restore` return 4 if something could not be set back. Both speak on
/// standard error, so that the command has standard output to itself. Throws `InputError`, and so does `fix`
/// for users other than root.
int run_platform_command(const PlatformOptions& options, const std::stop_token& stop);

}  // namespace tandem::daemon::commands
