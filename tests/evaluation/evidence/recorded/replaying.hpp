#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/recorded/recording.hpp"
#include "evaluation/evidence/recorded/trial.hpp"

namespace tandem::evaluation {

/// Trials on recorded launches: settings from the tuning half, launches from the judged half with a fresh
/// coin each. The seed and the recording's name decide everything.

/// Screens of equal builds, their suspects confirmed.
[[nodiscard]] TrialTally null_trials(const Recording& recording, std::size_t count, std::uint64_t seed);

/// Screens of a treatment whose times are multiplied by 1 + `effect`; with Confirming::yes also what becomes
/// of the suspects.
enum class Confirming { no, yes };
[[nodiscard]] TrialTally planted_trials(const Recording& recording, double effect, std::size_t count,
                                        Confirming confirming, std::uint64_t seed);

/// How many confirmations of equal builds confirm a change that no screen has suspected: both directions and
/// both statistics in turn.
[[nodiscard]] std::size_t null_confirmations(const Recording& recording, std::size_t count,
                                             std::uint64_t seed);

/// Launches with real more work, as `power` left them: blocks of them in the order of the dice, the coins as
/// they fell. The settings are taken from the spread of the tuning half about its own centre.
[[nodiscard]] TrialTally real_trials(std::span<const LaunchRow> launches, std::size_t count,
                                     std::uint64_t seed);

/// How the screens of a planted effect ended, both directions together.
struct PlantedTally {
  std::size_t found = 0;  ///< in the right direction
  std::size_t wrong = 0;  ///< in the wrong one
  std::size_t unchanged = 0;
  std::size_t inconclusive = 0;
  std::size_t recorded = 0;           ///< found and confirmed
  std::vector<std::size_t> launches;  ///< of each screen

  [[nodiscard]] std::size_t trials() const { return launches.size(); }
  void add(const TrialTally& tally, double effect);
  void add(const PlantedTally& other);
};

/// `count` screens in each direction: slower by 1 + `size` and faster by its inverse.
[[nodiscard]] PlantedTally both_directions(const Recording& recording, double size, std::size_t count,
                                           Confirming confirming, std::uint64_t seed);

}  // namespace tandem::evaluation
