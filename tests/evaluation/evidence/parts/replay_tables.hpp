#pragma once

#include <vector>

#include "evaluation/evidence/parts/replay_trials.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

inline constexpr double false_suspects_goal = 0.006;
inline constexpr double false_records_goal = 1e-4;

/// What the replayed trials look like on a page. Pure.
[[nodiscard]] std::vector<Table> replay_tables(const Replayed& replayed);
[[nodiscard]] std::vector<Plot> replay_plots(const Replayed& replayed);

}  // namespace tandem::evaluation
