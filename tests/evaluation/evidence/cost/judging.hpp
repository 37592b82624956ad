#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluation/evidence/part.hpp"

namespace tandem::evaluation {

/// The work of a confirmation when it is asked with so many units, all earlier looks included.
struct LookCost {
  std::size_t units = 0;
  double milliseconds = 0;
};

/// What the statistics take in this process, as medians over batches.
struct JudgingCost {
  std::size_t pairs = 0;           ///< slices per launch
  double reduce_microseconds = 0;  ///< a launch to its two statistics
  double judge_microseconds = 0;  ///< the next launch of a screen: all e-processes, and whether it is decided
  double verdict_milliseconds = 0;     ///< of a screen at its last launch, with both intervals
  std::vector<LookCost> confirmation;  ///< of units that leave every look undecided
};

[[nodiscard]] JudgingCost measure_judging(std::uint64_t seed, PartSettings::Length length);

}  // namespace tandem::evaluation
