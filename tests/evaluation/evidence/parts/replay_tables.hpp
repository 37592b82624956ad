#pragma once

#include <vector>

#include "evaluation/evidence/parts/replay_trials.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// What the replayed trials look like on a page. Pure.
[[nodiscard]] std::vector<Table> replay_tables(const Replayed& replayed);
[[nodiscard]] std::vector<Plot> replay_plots(const Replayed& replayed);

}  // namespace tandem::evaluation
