#pragma once

#include <string>
#include <vector>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// One run as a table for a person: what was measured where, then a row for each series, whole nets before
/// operators, in the order they came; how it failed, if it did. Ends with an empty line. Nothing in it moves
/// a terminal's cursor, whatever names and messages contain.
[[nodiscard]] std::string screen_text(const RunRecord& record);

/// Models down, platforms and devices across: the median of the whole net (else of the first series) of each
/// run, with a control its ratio; a run that failed says so, and one that was not made is a dash. So a new
/// model meets every backend, and a new backend every model.
[[nodiscard]] std::string matrix_text(const std::vector<RunRecord>& records);

}  // namespace tandem::daemon::harness
