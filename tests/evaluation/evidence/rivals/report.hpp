#pragma once

#include <span>
#include <string>

#include "evaluation/evidence/results/result.hpp"
#include "evaluation/evidence/rivals/board.hpp"

namespace tandem::evaluation::rival {

/// Tables, drawings, notes, figures and the goal that speak of one board. `where` names it: "recorded",
/// "live". Pure.
void report(PartResult& result, const std::string& where, std::span<const Rule> all_rules,
            const Board& board);

}  // namespace tandem::evaluation::rival
