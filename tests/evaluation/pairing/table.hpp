#pragma once

#include <span>
#include <string>

#include "evaluation/pairing/rows.hpp"

namespace tandem::evaluation {

/// The Markdown of evaluation/pairing.md: spreads of a workload next to itself, what the means say, how much
/// of planted work is found, and what the pairings cost. Pure.
[[nodiscard]] std::string pairing_table(std::span<const Row> rows);

}  // namespace tandem::evaluation
