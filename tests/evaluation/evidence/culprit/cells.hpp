#pragma once

#include <vector>

#include "evaluation/evidence/culprit/tally.hpp"
#include "evaluation/evidence/part.hpp"

namespace tandem::evaluation {

/// What one way of searching found in all histories of one kind.
struct Cell {
  HistoryPlan plan;
  Rule rule;
  Tally tally;
};

[[nodiscard]] std::vector<std::size_t> lengths_of(PartSettings::Length length);
[[nodiscard]] const std::vector<double>& effect_sizes();
/// The daemon's search, then its rivals.
[[nodiscard]] const std::vector<Rule>& rules();

/// All kinds of histories, searched in all ways: of every hundred 50 with one culprit, 40 with none, as
/// Google found (FACF, ICST 2023), and 10 with two.
[[nodiscard]] std::vector<Cell> simulate_cells(const PartSettings& settings);

/// All cells that agree with the filter, put together.
template <class Filter>
[[nodiscard]] Tally sum_of(const std::vector<Cell>& cells, Filter filter) {
  Tally sum;
  for (const Cell& cell : cells) {
    if (filter(cell)) sum.add(cell.tally);
  }
  return sum;
}

}  // namespace tandem::evaluation
