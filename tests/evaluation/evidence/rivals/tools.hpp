#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "evaluation/evidence/recorded/launches.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation::rival {

/// What a rule says of the treatment. `unstable` is ClickHouse's: too noisy to be judged, and no change is
/// called.
enum class Call { none, slower, faster, unstable };

/// The same call after the two sides were exchanged.
[[nodiscard]] constexpr Call opposite(Call call) {
  if (call == Call::slower) return Call::faster;
  if (call == Call::faster) return Call::slower;
  return call;
}

/// The direction of treatment - control, where a rule has found it to be real.
[[nodiscard]] constexpr Call call_of(double difference) {
  if (difference > 0) return Call::slower;
  if (difference < 0) return Call::faster;
  return Call::none;
}

/// What is told to a rule that knows no pairs: one value by launch of each side.
struct Values {
  std::vector<double> control;
  std::vector<double> treatment;
};

/// Two-sided p-values of the rank-sum test (Mann and Whitney, 1947). 1 when a sample is empty or all values
/// are equal.

/// Counted over all ways to deal the values out to the two sides, ties included (Klotz, 1966): twice the
/// smaller tail, at most 1. What benchstat and asv take for samples of ten.
[[nodiscard]] double exact_rank_sum_p(std::span<const double> left, std::span<const double> right);

/// By the normal approximation with the corrections for ties and for continuity: what scipy, and so Google
/// Benchmark's compare.py, takes as soon as both samples have more than eight values.
[[nodiscard]] double approximate_rank_sum_p(std::span<const double> left, std::span<const double> right);

/// The rules that rest on the rank-sum test; which side is the slower one is read off the medians.

/// google/benchmark, tools/gbench/report.py: p < 0.05 by scipy's mannwhitneyu, two-sided; from nine
/// repetitions on it does not warn that they are few.
[[nodiscard]] Call google_benchmark(const Values& values);

/// golang.org/x/perf, benchmath/anone.go, which is benchstat's default: p < 0.05 by the exact distribution up
/// to 50 values (25 with ties; here 50); else it prints "~".
[[nodiscard]] Call benchstat(const Values& values);

/// airspeed-velocity/asv, asv/_stats.py and asv/commands/compare.py: p < 0.002 by the exact distribution (up
/// to 20 values), and the medians apart by more than a factor of 1.1. It breaks ties the cautious way, here
/// they count half.
[[nodiscard]] Call asv(const Values& values);

/// bazhenov/tango, tango-bench/src/{lib,cli}.rs: over the pairs of one run, which is one launch, the mean
/// difference over its standard error is at least 2.6 (99 %), and it is more than 1 % of the control's mean.
/// The filter of outliers, which is optional there and takes equally many from both ends, is on.
[[nodiscard]] Call tango(const LaunchRow& launch);

/// The slower mean over the quicker one, and its ± by the propagation of the standard deviations of a run.
struct RelativeSpeed {
  double ratio = 1;
  double deviation = 0;
};

/// sharkdp/hyperfine, src/benchmark/relative_speed.rs. Both sides need at least one value.
[[nodiscard]] RelativeSpeed relative_speed(const Values& values);

/// hyperfine decides nothing. A person who reads "1.05 ± 0.02 times faster" calls it a change if the interval
/// does not reach 1.
[[nodiscard]] Call hyperfine(const Values& values);

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

/// ClickHouse/ClickHouse, tests/performance/scripts. eqmed.sql deals the runs of both sides out anew 10 000
/// times, half to each side; the 0.99 quantile of |difference of medians| is the threshold. compare.sh calls
/// a query changed if its difference is over a floor and not below the threshold, both as shares of the
/// control's median; else unstable if the threshold is over a limit.
///
/// Its README and first version have 5 % for floor and limit, one stored version 10 and 20 %, the newest one
/// 15 and 25 %, all raised by what each query showed in the past. A median of an even number of runs is the
/// upper one of the two in the middle (ClickHouse's medianExact).
struct ClickHouseFloors {
  double changed = 0.05;
  double unstable = 0.05;
};
inline constexpr ClickHouseFloors clickhouse_first = {0.05, 0.05};
inline constexpr ClickHouseFloors clickhouse_newest = {0.15, 0.25};

[[nodiscard]] Call clickhouse(const Values& values, const ClickHouseFloors& floors);

/// The threshold, from all ways to deal the values out and not from 10 000 of them. It needs an equal number
/// of values on both sides, at least one, at most 500; else it throws Error.
[[nodiscard]] double threshold_of_medians(const Values& values);

/// What FAI-PEP keeps of a commit: percentiles of a time, or of treatment - control.
struct Percentiles {
  double p50 = 0;
  double p90 = 0;
};

/// One side of a launch by itself; and its `diff_summary`, where p_k of the difference is the treatment's p_k
/// less the control's p_(100-k).
[[nodiscard]] Percentiles percentiles_of(const SideRow& side);
[[nodiscard]] Percentiles difference_of(const LaunchRow& launch);

/// facebook/FAI-PEP, regression_detectors/delay_detector: slower if the p50 of both newest commits is over
/// the p90 of the p90s of the earlier ones plus a tenth of their range; at least five earlier ones. It never
/// says faster. As it was meant: the tenth is not cut to whole numbers, and nothing is lost on the way.
[[nodiscard]] Call fai_pep(std::span<const Percentiles> earlier, std::span<const Percentiles> newest);

}  // namespace tandem::evaluation::rival
