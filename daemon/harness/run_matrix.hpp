#pragma once

#include <string>
#include <vector>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// Models down, platforms and devices across: the median of the whole net (else of the first series) of each
/// run, with a control its ratio; a run that failed says so, and one that was not made is a dash. So a new
/// model meets every backend, and a new backend every model.
[[nodiscard]] std::string matrix_text(const std::vector<RunRecord>& records);

}  // namespace tandem::daemon::harness
