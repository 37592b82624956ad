#pragma once

#include <string>

#include "daemon/reporters/run_record.hpp"

namespace tandem::daemon::reporters {

/// A whole run on one line, without its end: id, meta and data as FAI-PEP has them.
[[nodiscard]] std::string json_line(const RunRecord& record);

}  // namespace tandem::daemon::reporters
