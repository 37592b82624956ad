#pragma once

#include <string>

#include "daemon/records/status.hpp"

namespace tandem::daemon::report {

/// `status.json`, pure.
[[nodiscard]] std::string status_json(const Status& status);

/// Whether the daemon that wrote a status still runs. `dead`: it ended without saying so.
enum class DaemonLife { runs, stopped, dead, unknown };
[[nodiscard]] const char* name_of(DaemonLife life);  ///< "running", "stopped", "dead", "unknown"

/// What a `status.json` says of the process that wrote it.
struct StatusProcess {
  int pid = 0;
  std::string identity;      ///< as Status::process; empty: an earlier version wrote it
  bool has_stopped = false;  ///< by its own word
};
[[nodiscard]] StatusProcess process_of(const std::string& json);
/// The same status with a member "daemon" that says it.
[[nodiscard]] std::string with_daemon(const std::string& json, DaemonLife life);

/// A `status.json` as text for a person. Throws Error if it is not one.
[[nodiscard]] std::string status_text(const std::string& json);

/// One line: what the daemon does right now.
[[nodiscard]] std::string status_line(const Status& status);

}  // namespace tandem::daemon::report
