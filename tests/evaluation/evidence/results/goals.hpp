#pragma once

#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// Of all decisions about equal builds, at most: how many may be suspects and records, and how many records
/// when only the layouts differ.
inline constexpr double false_suspects_goal = 0.006;
inline constexpr double false_records_goal = 1e-4;
inline constexpr double false_layout_records_goal = 1e-3;

/// Met if the whole interval is on the right side of the target, missed if the whole interval is on the wrong
/// side; in between not enough was measured to say.
[[nodiscard]] Goal::Met at_most(const Proportion& proportion, double target);
[[nodiscard]] Goal::Met at_least(const Proportion& proportion, double target);

/// Of a single figure.
[[nodiscard]] Goal::Met met(bool is_met);

}  // namespace tandem::evaluation
