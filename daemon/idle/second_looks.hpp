#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "daemon/idle/newest_good.hpp"

namespace tandem::daemon {

/// How many times the launches of a screen a benchmark may get in all.
inline constexpr std::size_t most_continuations = 4;

/// Goes on with the first stored screen of the newest good commit that was inconclusive, under a cap raised
/// by the launches of one screen. Its verdict is replaced; if it is now a suspect, it is settled as one.
[[nodiscard]] IdleStep continue_screen(WalkSteps& steps, const Examination& at, NewestGood& newest);

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
