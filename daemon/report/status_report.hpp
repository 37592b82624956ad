#pragma once

#include <string>

#include "daemon/status.hpp"

namespace tandem::daemon::report {

/// `status.json`, pure.
[[nodiscard]] std::string status_json(const Status& status);

/// A `status.json` as text for a person. Throws Error if it is not one.
[[nodiscard]] std::string status_text(const std::string& json);

/// One line: what the daemon does right now.
[[nodiscard]] std::string status_line(const Status& status);

}  // namespace tandem::daemon::report
