#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "analysis/screen.hpp"
#include "analysis/verdict.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// The standard deviation that one launch's log-ratio is expected to have, for both statistics.
struct PriorSigma {
  double median = 0;
  double total = 0;
};

/// What is known of one metric of a benchmark after its screen. Samples are kept even when nothing changed.
struct Screened {
  std::string benchmark;
  specs::Metric metric;
  runners::Pairing pairing = runners::Pairing::alternate;
  enum class Rank {
    primary,
    further
  } rank = Rank::primary;  ///< further: known beside it; launches are not made for its sake
  enum class Rule { evidence, exact } rule = Rule::evidence;  ///< exact: of a metric that hardly scatters
  std::string version = {};    ///< of the treatment's benchmark, if it says one
  std::string redefined = {};  ///< a sentence: the sides measure different things, there is no verdict
  analysis::Verdict verdict;
  analysis::ScreenHistory history;  ///< to continue an inconclusive screen
  std::vector<runners::Launch> launches;
  std::optional<PriorSigma> prior;             ///< what the A/A gave
  std::optional<runners::RunFailure> failure;  ///< set when the outcome is `failed`
  std::chrono::nanoseconds time{};             ///< of the machine, calibration included
};

}  // namespace tandem::daemon
