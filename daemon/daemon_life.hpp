#pragma once

#include <filesystem>

#include "daemon/report/status_report.hpp"

namespace tandem::daemon {

/// Whether the daemon that wrote the status in this directory still runs, by its lock and, where that may not
/// be opened, by its process. Writes nothing.
[[nodiscard]] report::DaemonLife daemon_life(const std::filesystem::path& state_dir,
                                             const report::StatusProcess& process);

}  // namespace tandem::daemon
