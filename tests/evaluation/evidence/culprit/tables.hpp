#pragma once

#include <vector>

#include "evaluation/evidence/culprit/cells.hpp"
#include "evaluation/evidence/culprit/walks.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// What the daemon's search answered, a row for each length, size of the effect and kind of layouts.
[[nodiscard]] Table answers_table(const std::vector<Cell>& cells);
/// The same histories searched by bisection.
[[nodiscard]] Table bisection_table(const std::vector<Cell>& cells);
[[nodiscard]] Table real_table(const RealHistories& histories);

/// Right answers by the size of the effect, and measurements by the length of the history.
[[nodiscard]] Plot right_plot(const std::vector<Cell>& cells);
[[nodiscard]] Plot measurements_plot(const std::vector<Cell>& cells);

}  // namespace tandem::evaluation
