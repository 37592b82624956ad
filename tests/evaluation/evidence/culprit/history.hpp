#pragma once

#include <cstddef>
#include <vector>

#include "tests/analysis/simulation.hpp"

namespace tandem::evaluation {

/// What may differ between two linkings of one commit, beside the noise of launches.
enum class LayoutSpread {
  none,
  fresh,  ///< a quarter of the effect per side, drawn anew for every measurement
  fixed   ///< the same, but each commit keeps the layout that it was first linked with
};
[[nodiscard]] const char* name_of(LayoutSpread spread);

/// How many of the commits changed something.
enum class Steps { none, one, two };

/// A kind of history.
struct HistoryPlan {
  std::size_t commits = 8;   ///< after the good one, up to the bad one
  double effect_sigmas = 2;  ///< one step over the standard deviation of one measurement, layouts aside
  LayoutSpread layouts = LayoutSpread::none;
  Steps steps = Steps::one;
};

/// One history as it really is. Of those with a step the last commit shows all of them.
struct History {
  double effect = 0;         ///< ln, signed, of one step
  double sigma = 0;          ///< of one measurement: two launches in opposite slots
  double layout_spread = 0;  ///< of one side
  LayoutSpread layouts = LayoutSpread::none;
  Steps steps = Steps::one;
  std::size_t first = 0;     ///< the culprit; meaningless without
  std::size_t second = 0;    ///< as large a step again, of histories with two
  std::vector<bool> broken;  ///< by commit: it does not build; never the last one
  std::vector<double> own;   ///< by commit, where layouts are fixed
  double own_of_good = 0;

  [[nodiscard]] double level(std::size_t commit) const;
};

/// Effects of one to three margins of 1 %, in either direction; a tenth of the commits broken.
[[nodiscard]] History draw(const HistoryPlan& plan, analysis::Noise& noise);

/// ln of a commit's time over the good one's, measured once.
[[nodiscard]] double measure(const History& history, std::size_t commit, analysis::Noise& noise);

/// The same for a true difference, always linked anew: what a confirmation measures.
[[nodiscard]] double measure_anew(const History& history, double difference, analysis::Noise& noise);

}  // namespace tandem::evaluation
