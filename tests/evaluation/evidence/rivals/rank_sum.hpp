#pragma once

#include <span>

namespace tandem::evaluation::rival {

/// Two-sided p-values of the rank-sum test (Mann and Whitney, 1947). 1 when a sample is empty or all values
/// are equal.

/// Counted over all ways to deal the values out to the two sides, ties included (Klotz, 1966): twice the
/// smaller tail, at most 1. What benchstat and asv take for samples of ten.
[[nodiscard]] double exact_rank_sum_p(std::span<const double> left, std::span<const double> right);

/// By the normal approximation with the corrections for ties and for continuity: what scipy, and so Google
/// Benchmark's compare.py, takes as soon as both samples have more than eight values.
[[nodiscard]] double approximate_rank_sum_p(std::span<const double> left, std::span<const double> right);

}  // namespace tandem::evaluation::rival
