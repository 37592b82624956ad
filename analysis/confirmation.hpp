#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "analysis/launch_statistics.hpp"
#include "analysis/verdict.hpp"

namespace tandem::analysis {

/// Wilcoxon's signed-rank test against "symmetric about 0" (or lower) in favour of "larger": the share of
/// sign patterns that give the ranks of the positive values a sum at least as large as theirs. Exact for any
/// number of values and whatever their distribution, as long as each value is as likely to have had the other
/// sign. Equal sizes share their mean rank; a zero keeps its rank and belongs to neither side. One value,
/// however far out, moves it by no more than its rank. 1 without values. Throws Error when a value is not
/// finite.
[[nodiscard]] double signed_rank_p_value(std::span<const double> values);

/// The interval for the centre of a symmetric distribution that inverts the same test: two order statistics
/// of the Walsh averages, around the Hodges–Lehmann estimate. Covers with at least `level`, exactly counted,
/// no normal approximation. nullopt when so few values cannot reach the level. Cubic in the number of values:
/// meant for up to a few hundred.
[[nodiscard]] std::optional<std::pair<double, double>> signed_rank_interval(std::span<const double> values,
                                                                            double level);

/// The numbers of units at which a confirmation is looked at. Never in between: a look that was not planned
/// is not paid for.
inline constexpr std::array<std::size_t, 3> confirmation_looks = {16, 32, 64};

/// The probability that a change that is none is ever confirmed, and its equal part at each look. A part
/// of 3.3e-5 leaves the first look two sign patterns, of 2^-16 = 1.5e-5 each: all units agree, or all but the
/// smallest.
inline constexpr double confirmation_alpha = 1e-4;
inline constexpr double confirmation_alpha_per_look =
    confirmation_alpha / static_cast<double>(confirmation_looks.size());

/// A suspect that gets two trials, against the nearest commit before it and, if that does not confirm it,
/// against its control further back, shares the probability among them, for a change that is none could pass
/// either. The near trial keeps 0.93 of it: 3.1e-5 at each look still leaves the first look its two sign
/// patterns, together 3.05e-5. The far trial gets the rest, 2.3e-6 at each look; it can first confirm at 32
/// units and needs them only where the near one found nothing.
inline constexpr double near_trial_alpha = 0.93 * confirmation_alpha;
inline constexpr double far_trial_alpha = confirmation_alpha - near_trial_alpha;

enum class Direction { slower, faster };

/// What is to be confirmed: the direction of the suspect and the bar that its size must reach.
struct ConfirmationPlan {
  Direction suspected = Direction::slower;
  double minimum_effect = 0.005;  ///< as a share; see minimum_effect()
  /// The probability that this trial confirms a change that is none, over all its looks.
  double alpha = confirmation_alpha;
};

/// `failed`: it could not be measured, so nothing is known.
enum class ConfirmationOutcome { confirmed, not_reproduced, undecided_more, failed };

[[nodiscard]] const char* name_of(ConfirmationOutcome outcome);

/// `ratio` is the Hodges–Lehmann estimate with an interval that covers with 95 % over all looks together.
struct ConfirmationResult {
  ConfirmationOutcome outcome = ConfirmationOutcome::undecided_more;
  RatioInterval ratio;
  double p_value = 1.0;  ///< one-sided, in the suspected direction, at the last look made; 1 before the first
  std::size_t units = 0;      ///< how many of the units it rests on
  std::size_t next_look = 0;  ///< how many units to have for the next look; 0 when decided
};

/// Judges the units measured so far, each given as ln(treatment / control). It goes through the planned looks
/// in their order and stops at the first that decides, so it does not matter how often it is asked: confirmed
/// when the signed-rank test rejects "no change" at the look's level and the estimate reaches the bar; not
/// reproduced when the estimate is below half of the bar, or after the last look; else more units are wanted.
/// The signs are exact by the coin; ranks instead of the values themselves, because a few launches lie far
/// out and a sum of units follows them.
/// Another test may take the place of that one, to be compared with it.
/// Throws Error when a value is not finite, InputError when the bar is not a positive share.
using PValueOf = double (*)(std::span<const double> values);
[[nodiscard]] ConfirmationResult confirm(std::span<const double> units, const ConfirmationPlan& plan,
                                         PValueOf test = signed_rank_p_value);

/// The bar: half of the margin; where nothing can be relinked, at least four times the spread (as a share)
/// that the benchmark shows over commits that cannot have changed it.
[[nodiscard]] double minimum_effect(double margin, std::optional<double> null_commit_spread = std::nullopt);

/// Which of the launch statistics is confirmed: the one that raised the suspicion.
enum class Statistic { median, total };

/// The value of one unit: the mean of its two launches in opposite slots. nullopt when one of them failed:
/// half a unit would bring the slot bias in that the other half cancels.
[[nodiscard]] std::optional<double> unit_value(const std::optional<LaunchStatistics>& one,
                                               const std::optional<LaunchStatistics>& other,
                                               Statistic statistic);

}  // namespace tandem::analysis
