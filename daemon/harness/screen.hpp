#pragma once

#include <string>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// One run as a table for a person: what was measured where, then a row for each series, whole nets before
/// operators, in the order they came; how it failed, if it did. Ends with an empty line. Nothing in it moves
/// a terminal's cursor, whatever names and messages contain.
[[nodiscard]] std::string screen_text(const RunRecord& record);

}  // namespace tandem::daemon::harness
