#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/trial.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

inline constexpr double replay_margin = 0.01;  ///< δ, the default one

/// How the trials of one recording ended.
struct ReplayedRecording {
  std::string name;
  std::size_t judged = 0;  ///< launches
  std::size_t block = 0;
  analysis::LaunchNoise noise;  ///< of the judged half
  std::string refused;          ///< why calibration would not measure so; empty: it would
  TrialTally null;
  std::size_t confirmations = 0;  ///< of equal builds, whatever the screen says
  std::size_t confirmed = 0;
  std::vector<std::pair<double, TrialTally>> planted;  ///< by size

  /// The noise of a launch in margins, by the medians.
  [[nodiscard]] double relative_sigma() const;
};

/// How they ended over all sound recordings, scaled to one noise.
struct ReplayedNoise {
  double relative_sigma = 0;  ///< in margins
  std::vector<std::pair<double, TrialTally>> planted;
  std::map<std::string, TrialTally> twice_the_margin;  ///< the same of 2 δ alone, by pairing
  std::map<std::string, Proportion> far_out;           ///< judged launches beyond 5 σ, by pairing
  TrialTally null;                                     ///< scaled by the medians' deviation
  TrialTally null_larger;                              ///< scaled by the larger one of medians and totals
};

/// Real more work, as `power` measured it.
struct ReplayedWork {
  Origin origin;
  std::size_t judged = 0;
  TrialTally tally;
};

struct Replayed {
  std::vector<ReplayedRecording> recordings;
  ReplayedRecording sum;  ///< null, confirmations and confirmed of all of them
  std::vector<ReplayedNoise> noises;
  std::vector<ReplayedWork> work;
};

/// The design's rule for the launches until `unchanged`: 6 + 11(σ/δ)².
[[nodiscard]] double launches_by_rule(double relative_sigma);

/// All trials of the part.
[[nodiscard]] Replayed replay_trials(const PartSettings& settings);

/// What the replayed trials look like on a page. Pure.
[[nodiscard]] std::vector<Table> replay_tables(const Replayed& replayed);
[[nodiscard]] std::vector<Plot> replay_plots(const Replayed& replayed);

}  // namespace tandem::evaluation
