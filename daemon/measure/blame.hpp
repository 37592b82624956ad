#pragma once

#include <stop_token>

#include "analysis/verdict.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// What a failure in a pair means: `control_fails` or `treatment_fails` if that side fails again next to
/// itself while the other runs next to itself, both as the subject was measured, else `failed`. Costs a
/// launch of each side, and of a program that hangs its deadline once more.
[[nodiscard]] analysis::Outcome blame(runners::PairRunner& runner, const runners::ProgramPair& pair,
                                      const runners::Subject& subject, const runners::RunFailure& failure,
                                      const std::stop_token& stop);

/// The same failure where both sides are the control, whatever the runner called them: of an A/A.
[[nodiscard]] runners::RunFailure of_the_control(runners::RunFailure failure);

}  // namespace tandem::daemon
