#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/rivals/board.hpp"

namespace tandem::evaluation::rival {

/// In sentences: which rules kept to the 1 % of false alarms that Tandem's screen claims, whether Tandem has
/// fewer false alarms than every rival at equal or better power, and where a rival does better.
[[nodiscard]] std::vector<std::string> comparison(const std::string& where, std::span<const Rule> all_rules,
                                                  const Board& board);

}  // namespace tandem::evaluation::rival
