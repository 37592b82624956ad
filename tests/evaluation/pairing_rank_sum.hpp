#pragma once

#include <span>

namespace tandem::evaluation {

/// Two-sided p-value of the rank-sum test (Mann and Whitney, 1947): what tools that measure one after the
/// other decide by. Exactly counted for samples without ties, by the normal approximation with corrections
/// for ties and continuity for others. 1 when a sample is empty.
[[nodiscard]] double rank_sum_p(std::span<const double> left, std::span<const double> right);

}  // namespace tandem::evaluation
