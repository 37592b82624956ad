#pragma once

#include <cstddef>
#include <span>

#include "evaluation/evidence/rivals/call.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation::rival {

struct Interval {
  double low = 0;
  double high = 0;
};

/// The percentile bootstrap of a mean: `replicates` samples drawn with replacement, and the interval that
/// holds `level` of their means. Throws Error when there are no values.
[[nodiscard]] Interval bootstrap_of_mean(std::span<const double> values, double level, std::size_t replicates,
                                         tandem::Random& random);

/// Bulej et al., "Duet benchmarking" (ICPE 2020, arXiv 2001.05811): the geometric mean of the ratios of each
/// run, the geometric mean of those, and a 99 % percentile bootstrap over the runs; equal if the interval
/// straddles 1. Its winsorising of single iterations is left out.
[[nodiscard]] Call duet_paper(std::span<const LaunchRow> runs, std::size_t replicates,
                              tandem::Random& random);

}  // namespace tandem::evaluation::rival
