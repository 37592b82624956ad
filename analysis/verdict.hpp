#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem::analysis {

/// What is said about one benchmark of a commit. The order of the list is no order of severity.
///
/// `failed`: both sides do, or only next to each other; if one side alone fails, it is named. The last three
/// need no trial: the benchmark appears, is another one than before, or is gone.
enum class Outcome {
  identical,
  slower,
  faster,
  unchanged,
  inconclusive,
  unmeasurable,
  failed,
  control_fails,
  treatment_fails,
  added,
  redefined,
  missing
};

[[nodiscard]] const char* name_of(Outcome outcome);  ///< "identical", …; of `added` it is "new"
[[nodiscard]] std::optional<Outcome> outcome_named(std::string_view name);

/// Whether it could not be measured because a program failed.
[[nodiscard]] bool is_failure(Outcome outcome);

/// ratio = treatment / control of the metric; `level` is the coverage of [low, high].
///
/// Few launches cannot support 95 %: `level` then says what they do support, down to [0, infinity] with level
/// 1 when they exclude nothing. Whoever writes the interval as text must be ready for the infinity.
struct RatioInterval {
  double estimate = 1.0;
  double low = 0.0;
  double high = 0.0;
  double level = 0.95;
};

/// The evidence for each hypothesis when the trial stopped: the value of its e-process.
struct Evidence {
  double slower = 1.0;      ///< against θ ≤ +δ/2
  double faster = 1.0;      ///< against θ ≥ −δ/2
  double not_slower = 1.0;  ///< against θ ≥ +δ
  double not_faster = 1.0;  ///< against θ ≤ −δ
};

/// The result of one trial. Never changed after it was made.
///
/// `ratio`, `sigma` and `minimum_detectable_effect` speak of the statistic that decided: the totals if
/// `decided_by_total`, else the medians. Both ratios are always there beside it.
struct Verdict {
  Outcome outcome = Outcome::inconclusive;
  RatioInterval ratio;
  double margin = 0.01;                    ///< δ, as a share
  double sigma = 0.0;                      ///< robust standard deviation of one launch's log-ratio
  double minimum_detectable_effect = 0.0;  ///< as a share, at the launches made
  std::size_t launches = 0;                ///< the failed ones included
  std::size_t failed_launches = 0;
  Evidence median;  ///< from the launches' medians
  Evidence total;   ///< from the launches' trimmed totals
  RatioInterval median_ratio;
  RatioInterval total_ratio;
  bool decided_by_total = false;     ///< rare events: only the totals show the change
  bool statistics_disagree = false;  ///< the intervals of the two statistics lie on opposite sides of 1
};

}  // namespace tandem::analysis
