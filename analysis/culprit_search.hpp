#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

/// In place of a candidate: none, or the good commit.
inline constexpr std::size_t no_candidate = static_cast<std::size_t>(-1);

/// What is known from the confirmation that led to the search. Sizes are logarithms of ratios.
struct CulpritSearchSettings {
  double effect = 0;           ///< signed, of the bad commit against the good one
  double sigma = 0;            ///< standard deviation of one measurement, layouts included
  double smallest_effect = 0;  ///< without sign: a first step worth naming, half of the margin
  double sure = 0.99;          ///< the probability at which it ends
  std::size_t most_measurements = 400;
  double no_culprit_prior = 0.05;
};

/// How a culprit search stands.
struct CulpritAnswer {
  enum class Kind { culprit, no_culprit, undecided };

  Kind kind = Kind::undecided;
  /// The first usable candidate that shows the change; the likeliest one if undecided; no_candidate without.
  std::size_t culprit = no_candidate;
  double probability = 0;  ///< of the answer; if undecided, of the likeliest candidate; co-suspects included
  std::vector<std::size_t> co_suspects;  ///< broken ones directly before it that cannot be told from it
  std::size_t last_good = no_candidate;  ///< the last before all those; no_candidate: the good commit itself
  std::size_t measurements = 0;
};

/// Finds the first of a line of commits that shows a confirmed change, by noisy bisection: each measurement
/// moves the probability of every candidate, and the next is made where it tells most, until one is sure.
///
/// Candidates are the commits after the good one up to and including the bad one, in their order. One
/// measurement is a unit of two launches of a candidate against the good commit in opposite slots, both
/// linked with new seeds. A plain value: copy it to try something, drive it from anywhere.
class CulpritSearch {
 public:
  /// `prior` is the weight of each candidate, positive; they need not sum to 1. Throws InputError when a
  /// setting or a weight is not usable.
  CulpritSearch(const CulpritSearchSettings& settings, std::vector<double> prior);

  /// Which candidate to measure. Nothing: it has decided, or nothing that can be measured would help.
  [[nodiscard]] std::optional<std::size_t> next() const;

  /// ln of the candidate's time over the good commit's. Throws Error when it is not finite or the candidate
  /// is none.
  void measured(std::size_t candidate, double value);

  /// It does not build or run. It is never asked for again and cannot be told from the next usable one.
  void broken(std::size_t candidate);

  /// Its build is identical to an earlier candidate's, or to the good commit's (no_candidate). The two share
  /// their measurements, and between them nothing lasting happened: neither it nor those in between are
  /// asked for or named.
  void same_as(std::size_t candidate, std::size_t earlier);

  [[nodiscard]] CulpritAnswer answer() const;

  /// The probability of each candidate and, last, that there is no culprit.
  [[nodiscard]] const std::vector<double>& posterior() const { return posterior_; }

 private:
  enum class State { usable, broken, same, passed_over };

  /// A usable candidate with the broken ones directly before it. Without a usable one: those after the last
  /// usable candidate, which cannot be told from "no culprit".
  struct Cell {
    std::size_t usable = no_candidate;
    double probability = 0;
  };

  void check(std::size_t candidate) const;
  [[nodiscard]] bool stands_for_usable(std::size_t candidate) const;
  void weigh();
  [[nodiscard]] std::vector<Cell> cells() const;

  CulpritSearchSettings settings_;
  std::vector<double> prior_;
  std::vector<State> state_;
  std::vector<std::size_t> original_;  ///< whose build each is: itself, an earlier one or no_candidate
  std::vector<LevelEvidence> evidence_;
  std::vector<double> posterior_;
  std::size_t measurements_ = 0;
};

}  // namespace tandem::analysis
