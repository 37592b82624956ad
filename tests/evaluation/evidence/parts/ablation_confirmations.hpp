#pragma once

#include "evaluation/evidence/parts/ablation_bench.hpp"
#include "evaluation/evidence/parts/ablation_trials.hpp"

namespace tandem::evaluation {

/// Sums of units in the place of their ranks: which of the two loses fewer changes. On the halves that
/// settings may be taken from, and on those that are judged.
void add_confirmation_ablations(AblationBench& bench, Ablations& found);

}  // namespace tandem::evaluation
