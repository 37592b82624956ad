#pragma once

#include "evaluation/evidence/parts/ablation_bench.hpp"
#include "evaluation/evidence/parts/ablation_trials.hpp"

namespace tandem::evaluation {

/// One layout of each side instead of four, and the screen's layouts again in the confirmation.
void add_layout_ablations(AblationBench& bench, Ablations& found);

}  // namespace tandem::evaluation
