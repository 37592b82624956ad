#pragma once

#include <filesystem>
#include <string>

#include "daemon/report/status_report.hpp"

namespace tandem::daemon {

/// Which process of its number this is: the boot of the host and when the process began. A number is used
/// again, this is not. Empty: it cannot be read.
[[nodiscard]] std::string this_process();
/// The same of a living process; empty: there is none.
[[nodiscard]] std::string process_identity(int pid);

/// Whether the daemon that wrote the status in this directory still runs, by its lock and, where that may not
/// be opened, by its process. Writes nothing.
[[nodiscard]] report::DaemonLife daemon_life(const std::filesystem::path& state_dir,
                                             const report::StatusProcess& process);

}  // namespace tandem::daemon
