#pragma once

#include <cstddef>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/replaying.hpp"

namespace tandem::evaluation {

/// What all trials of the ablations share.
struct AblationBench {
  /// Trials of one kind for every recording.
  struct Sizes {
    std::size_t null = 1;
    std::size_t planted = 1;
    std::size_t layouts = 1;
  } sizes;
  tandem::Random random;
  std::vector<Recording> all;
  std::vector<Recording> quiet;  ///< the sound ones, at quiet_sigma

  /// Screens of the judged half, their suspects confirmed if asked for.
  [[nodiscard]] TrialTally trials(const Recording& recording, const analysis::ScreenSettings& settings,
                                  std::size_t count, Coin coin, Confirming confirming,
                                  const Plant& plant = {});
};

[[nodiscard]] AblationBench ablation_bench(const PartSettings& settings);

/// The daemon's settings after a calibration by the tuning half.
[[nodiscard]] analysis::ScreenSettings calibrated(const Recording& recording);

}  // namespace tandem::evaluation
