#pragma once

#include <optional>
#include <span>
#include <utility>

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

}  // namespace tandem::analysis
