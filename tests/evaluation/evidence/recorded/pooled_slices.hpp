#pragma once

#include <optional>
#include <span>

#include "analysis/confirmation.hpp"
#include "evaluation/evidence/recorded/launch_row.hpp"

namespace tandem::evaluation {

/// The usual test that Tandem does not use: Student's t of the mean log-ratio against 0, two-sided at 1 %.
/// What is taken for independent is the question.
enum class TestUnit {
  slices,   ///< every pair of slices of every launch, pooled by the moments that the rows keep
  launches  ///< one mean per launch
};

/// The direction of the change that the test finds, if it finds one. Nothing of fewer than two units.
[[nodiscard]] std::optional<analysis::Direction> pooled_test(std::span<const LaunchRow> launches,
                                                             TestUnit unit);

}  // namespace tandem::evaluation
