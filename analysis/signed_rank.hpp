#pragma once

#include <optional>
#include <span>
#include <utility>

namespace tandem::analysis {

/// The interval for the centre of a symmetric distribution that inverts Wilcoxon's signed-rank test: two
/// order statistics of the Walsh averages, around the Hodges–Lehmann estimate. Covers with at least `level`,
/// exactly counted, no normal approximation. nullopt when so few values cannot reach the level. Cubic in the
/// number of values: meant for up to a few hundred.
[[nodiscard]] std::optional<std::pair<double, double>> signed_rank_interval(std::span<const double> values,
                                                                            double level);

}  // namespace tandem::analysis
