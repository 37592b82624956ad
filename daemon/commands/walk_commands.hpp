#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "daemon/commands/compare.hpp"
#include "daemon/service/event_loop.hpp"

namespace tandem::daemon::commands {

/// `tandem daemon`: the service, or one pass with --once.
struct DaemonOptions {
  std::optional<std::filesystem::path> config_file;
  config::Overrides overrides;
};

/// `tandem status`.
struct StatusOptions {
  std::optional<std::filesystem::path> state_dir;
  Format format = Format::text;
};

int run_daemon_command(const DaemonOptions& options, EventLoop& events);
int run_status_command(const StatusOptions& options);

}  // namespace tandem::daemon::commands
