#pragma once

#include <span>

#include "analysis/verdict.hpp"
#include "specs/benchmark/metric.hpp"

namespace tandem::analysis {

/// Judges a metric that hardly scatters, without a trial: `slower` means worse, `faster` better, in the
/// metric's own direction. The two lists need not have one length; each holds at least one value, or the
/// verdict is `inconclusive`.
///
/// With a limit: whether the values are sound. One side sound and the other not is a change; a side that is
/// both is inconclusive. NaN is never sound.
/// Without one, the ratio of the medians against the metric's tolerance, or `margin` if it has none, between
/// the smallest and the largest ratio that the values allow: all beyond the tolerance is a change, all within
/// is `unchanged`, else `inconclusive`. Two zeros are equal. Negative values and NaN have no ratio and are
/// inconclusive.
///
/// The verdict's `ratio` is the cost: above 1 is worse in either direction. Its level is 1, since the
/// interval holds every value seen.
[[nodiscard]] Verdict judge_exactly(std::span<const double> control, std::span<const double> treatment,
                                    const specs::Metric& metric, double margin);

}  // namespace tandem::analysis
