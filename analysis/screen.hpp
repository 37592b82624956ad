#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistic_track.hpp"
#include "analysis/verdict.hpp"

namespace tandem::analysis {

/// Evidence at which the screen decides. 1/E bounds the probability that a true hypothesis is ever rejected.
inline constexpr double decisive_median = 100.0;    ///< slower or faster, by the medians
inline constexpr double decisive_total = 200.0;     ///< slower or faster, by the totals
inline constexpr double decisive_unchanged = 20.0;  ///< each of the two bounds, of both statistics

/// One failed launch in this many, counted against the cap, is put up with; and one in any case.
inline constexpr std::size_t launches_per_failure = 20;

struct ScreenSettings {
  double margin = 0.01;                       ///< δ as a share
  double prior_sigma = 0.01;                  ///< expected standard deviation of a launch's median log-ratio
  std::optional<double> prior_sigma_total{};  ///< the same of the totals; without it as the medians
  std::size_t max_launches = 66;
};

/// All there is to know about a screen, to be stored and to be continued. Between storing and continuing only
/// `max_launches` may be changed; with another margin the launches have to be made anew.
struct ScreenHistory {
  ScreenSettings settings;
  std::vector<std::optional<LaunchStatistics>> launches;  ///< in their order; nullopt for a failed launch
};

/// The first look at one benchmark: told launch by launch what was measured, it says when it knows enough.
///
/// After every launch it asks, in this order: slower (by the medians or by the totals)? faster? unchanged (by
/// both)? The order matters where the statistics disagree: a benchmark whose typical slice got slower and
/// whose rare slices got cheaper, or the reverse, changed in both ways, and there is no single true answer.
/// Then the harm is named, `slower` if either statistic proves it first, Verdict::statistics_disagree is set,
/// and both ratios are given, so that the report can say what got slower and what got faster. `unchanged`
/// cannot hide such a case, for it needs both.
class Screen {
 public:
  /// Throws InputError when a setting is not a usable number.
  explicit Screen(const ScreenSettings& settings);
  /// Continues a stored screen: from here on it is in every bit what an uninterrupted one would be.
  explicit Screen(const ScreenHistory& history);

  /// Takes the next launch, nullopt for a failed one, and answers as outcome(). Throws Error after slower,
  /// faster or unchanged was said, and when a number is not finite.
  std::optional<Outcome> advance(const std::optional<LaunchStatistics>& launch);

  /// slower, faster or unchanged once proved, for good; `failed` when too many launches failed,
  /// `inconclusive` when the launches are used up, both open to be continued under a larger cap; nothing as
  /// long as one more launch is wanted.
  [[nodiscard]] std::optional<Outcome> outcome() const;

  /// What is known now. Before an outcome, as when the time budget ends, it is `inconclusive`.
  [[nodiscard]] Verdict verdict() const;

  [[nodiscard]] const ScreenHistory& history() const { return history_; }

 private:
  [[nodiscard]] std::optional<Outcome> decide() const;

  ScreenHistory history_;
  StatisticTrack median_;
  StatisticTrack total_;
  std::size_t failed_ = 0;
  std::optional<Outcome> decided_;
};

/// The effect, as a share, that a screen of so many launches calls slower nine times in ten when one launch's
/// log-ratio has standard deviation `sigma`: δ/2 + σ·sqrt(26/n). A rule found by simulation, good from eleven
/// launches on; fewer than nine can never prove slower. Infinite without launches.
[[nodiscard]] double minimum_detectable_effect(double sigma, double margin, std::size_t launches);

/// Whether not even a change of twice the margin would be found within the cap: Outcome::unmeasurable, not to
/// be run.
[[nodiscard]] bool is_unmeasurable(double sigma, double margin, std::size_t max_launches);

}  // namespace tandem::analysis
