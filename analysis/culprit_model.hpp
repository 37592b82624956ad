#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tandem::analysis {

/// How many smaller sizes the first step of a range may have, besides the whole effect.
inline constexpr std::size_t partial_levels = 8;

/// What the measurements of one candidate say for each level that it may stand at, as the logarithm of the
/// likelihood over that of "as before the change". All 0: not measured.
struct LevelEvidence {
  std::array<double, partial_levels> partial{};
  double whole = 0.0;

  LevelEvidence& operator+=(const LevelEvidence& other);
};

/// How measured log-ratios against the good commit scatter about the level of their candidate.
struct LevelModel {
  double effect = 0.0;           ///< ln, signed, of the whole change
  double smallest_effect = 0.0;  ///< ln, without sign: the smallest first step worth naming
  double sigma = 0.0;            ///< standard deviation of one measurement
};

/// What one measurement says. The tails are those of Student's t, so that a wild value says little and no
/// single value can decide.
[[nodiscard]] LevelEvidence evidence_of(const LevelModel& model, double value);

/// The probability of each candidate to be the first that shows the change, and at the end that of none.
///
/// Up to the culprit all candidates are as before. From it on, either all show the whole effect, or they
/// stand at one of the partial levels until a second step, anywhere after, makes it whole: a range may hold
/// two culprits, and the effect may have been overestimated. `prior` is the weight of each candidate, 0 for
/// one that cannot be it; with all of them 0, none is certain. Linear in the number of candidates.
[[nodiscard]] std::vector<double> culprit_probabilities(std::span<const double> prior,
                                                        std::span<const LevelEvidence> evidence,
                                                        double no_culprit_prior);

}  // namespace tandem::analysis
