#pragma once

#include <optional>
#include <stop_token>

#include "daemon/idle/newest_good.hpp"

namespace tandem::daemon {

/// Measures the first regression, of whichever metric, whose re-test is due: the culprit's parent against the
/// newest good commit. What came of it stands in the record and its report. One that is gone twice in a row
/// has recovered, and the search for the commit that did it is queued. What a faster commit left of one, and
/// could not be measured when that commit came, goes first. Nothing is re-tested where nothing
/// could be recorded.
[[nodiscard]] IdleStep retest(WalkSteps& steps, const Examination& at, NewestGood& newest);

/// Measures what a faster commit left of the first regression of which that could not be measured when the
/// commit came, and is due again. Nothing: there is none.
[[nodiscard]] std::optional<IdleStep> measure_fix(WalkSteps& steps, const Examination& at);

}  // namespace tandem::daemon
