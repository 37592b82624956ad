#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "runners/pairing/pairing.hpp"
#include "runners/pairing/samples.hpp"

namespace tandem::analysis {

/// What one launch takes of the machine.
struct LaunchCost {
  double seconds = 0;         ///< start and end included
  double slices_seconds = 0;  ///< of that, inside slices that count; 0: unknown
};

/// What launches of one program next to itself, measured in one way, say about that way.
///
/// The true log-ratio is known to be 0, so the deviations are taken about 0: what the two slots differ by
/// belongs to them, for the coin makes noise of it.
struct LaunchNoise {
  std::size_t launches = 0;
  double sigma = 0;        ///< robust standard deviation of a launch's median log-ratio
  double sigma_total = 0;  ///< of its total log-ratio
  double slot_bias = 0;    ///< mean of coin × log-ratio: ln of what the second slot takes over the first
  double slot_bias_low = 0;
  double slot_bias_high = 0;  ///< 95 % interval; with fewer than 3 launches unknown, both ends 0
  double tail = 0;            ///< largest |log-ratio| in units of sigma
  double within = 0;          ///< standard deviation of one pair of slices inside a launch; 0: unknown
  LaunchCost cost;
};

/// Launches without usable values are left out. Of none at all everything is 0.
[[nodiscard]] LaunchNoise noise_of(std::span<const runners::Launch> launches, const LaunchCost& cost);

/// What the positive control found: one side with known more work.
struct Recovery {
  double planted = 0;      ///< ln of the true ratio
  double median = 0;       ///< of the launches' median log-ratios
  double total = 0;        ///< of their totals
  double apart_error = 0;  ///< standard error of total - median
  std::size_t launches = 0;

  /// The share of the planted effect that was found; 1: all of it.
  [[nodiscard]] double share() const { return planted > 0 ? median / planted : 0; }
};

[[nodiscard]] Recovery recovery_of(std::span<const runners::Launch> launches, double planted);

/// One value per launch, the typical one of a side.
[[nodiscard]] std::optional<double> typical_value(const runners::Launch& launch, runners::Side side);

/// Time in company / alone from values that were taken in turns, the i-th of one beside the i-th of the
/// other: the median of their ratios, so that a host that changes its speed changes both.
struct SlowDown {
  std::size_t pairs = 0;  ///< of values; 0: nothing is known
  double ratio = 1;
  double at_least = 1;  ///< a standard error less
};
[[nodiscard]] SlowDown slow_down_of(std::span<const double> company, std::span<const double> alone);

/// ω: what linking a program anew moves its time by, from the mean log-ratios of relinkings against the
/// original: their standard deviation. Not a robust one: where one linking in ten is 20 % slower, that one is
/// no outlier but what the next commit may get. `noise` is the standard deviation that each mean has from the
/// launches alone; it is taken off.
[[nodiscard]] std::optional<double> layout_spread_of(std::span<const double> means, double noise);

/// Which of the means stand out so far that it may have been the machine: those are worth a second look, and
/// of the two looks the one nearer to the others counts.
[[nodiscard]] std::vector<std::size_t> doubtful_layouts(std::span<const double> means, double noise);
[[nodiscard]] double nearer_to_others(std::span<const double> means, double one, double other);

/// One arrangement that was tried, with its numbers as far as they were needed; or one that was impossible
/// from the start, without launches and with its reason.
struct TriedArrangement {
  runners::Arrangement arrangement;
  std::size_t pairs = 0;  ///< of slices per launch; 0 of whole processes
  LaunchNoise noise;
  std::optional<Recovery> recovery;
  std::optional<double> slow_down;  ///< time per iteration in company / alone
  std::string refused;              ///< why it may not be used, a clause; empty: it may
};

/// How a benchmark is best measured on this host and what can then be seen. Plain values; stored and shown.
struct Calibration {
  std::string benchmark;
  double margin = 0.01;  ///< δ
  runners::Arrangement chosen;
  std::size_t pairs = 0;  ///< of slices per launch; 0 of whole processes
  LaunchNoise noise;      ///< of the chosen one
  std::optional<double> slow_down;
  std::optional<double> recovered;       ///< share of the planted effect that was found
  std::optional<double> layout_spread;   ///< ω, over relinkings; nothing: not known
  double minimum_detectable_effect = 0;  ///< as a share, at the launches that a screen may make
  std::size_t most_launches = 66;
  std::vector<TriedArrangement> tried;  ///< the chosen one first
  std::string unfit;                    ///< a sentence: nothing may be recorded; empty: sound
  std::string note;                     ///< what is not known and why; empty: nothing of that kind
  std::string host;                     ///< the facts that it holds for (runners::host_identity)
  std::int64_t at = 0;                  ///< seconds since 1970 UTC
  double seconds = 0;                   ///< that it took
};

/// The standard deviations that a screen's launches will have: each of them draws its layouts.
struct ExpectedSigma {
  double median = 0;
  double total = 0;
};
[[nodiscard]] ExpectedSigma expected_sigma(const Calibration& calibration);

/// Machine time per unit of information: variance × seconds. The smaller, the better an arrangement. The
/// variance is the mean of the two statistics', because a verdict waits for both.
[[nodiscard]] double price_of(const LaunchNoise& noise);

/// The same with the spread drawn towards the margin as if four launches had had that, as the screen does it:
/// few launches may lie together by luck, and what is far below the margin buys nothing. For ranking.
[[nodiscard]] double cautious_price_of(const LaunchNoise& noise, double margin);

/// Why the arrangement must not be used, by what is known of it:
/// - a slot bias that is there (its interval leaves out 0) and is larger than the margin, after four
/// launches,
///   or may be (the interval leaves ±δ), after eight;
/// - recovery under 90 % of what was planted, or median and total ratios of the positive control apart by
/// more
///   than δ/4, each by more than two standard errors;
/// - a slow-down over the pairing's limit: 1.3 where both run at once, 1.1 for programs with threads that
///   take turns.
/// Empty if nothing speaks against it.
[[nodiscard]] std::string reason_to_refuse(const TriedArrangement& tried, double margin, std::size_t threads);

/// The arrangement of a confirmation: where both at once slow each other down by more than 1.1 they take
/// turns instead, in slices of the same length.
[[nodiscard]] runners::Arrangement for_confirmation(const Calibration& calibration);

/// The number of pairs per launch at which machine time buys most, from what a launch costs to start and the
/// variances within and between launches (Kalibera and Jones 2013): sqrt(cost of a start / cost of a pair ×
/// variance within / variance between). Even, at least 4; `pairs_now` where one of them is not known.
[[nodiscard]] std::size_t best_pairs(const LaunchNoise& noise, std::size_t pairs_now);

/// Whether a calibration no longer holds: other host facts, or the typical spread of the newest screens (five
/// at least) is 1.5 times larger or smaller than expected. A sentence that says so, or nothing. Spreads under
/// a tenth of the margin count as that.
[[nodiscard]] std::optional<std::string> outdated(const Calibration& calibration, const std::string& host,
                                                  std::span<const double> newest_sigmas);

/// What the calibrations of a host say together.
struct HostNoise {
  double floor = 0;   ///< median of the benchmarks' sigmas
  std::string unfit;  ///< a sentence, when more than half of them, three at least in all, are unfit: nothing
                      ///< may be recorded
};
[[nodiscard]] HostNoise host_noise(std::span<const Calibration> calibrations);

}  // namespace tandem::analysis
