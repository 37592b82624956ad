#pragma once

#include <cstddef>
#include <vector>

#include "analysis/culprit_search.hpp"
#include "evaluation/evidence/culprit/history.hpp"

namespace tandem::evaluation {

/// What a way of searching said in the end, and what it cost.
struct Finding {
  enum class Said { culprit, no_culprit, undecided } said = Said::undecided;
  std::size_t culprit = 0;
  std::vector<std::size_t> co_suspects;  ///< broken ones before it that cannot be told from it
  std::size_t measurements = 0;
};

/// What the daemon knows when it begins to search: effect and noise from sixteen units of the bad commit. The
/// confirmation of a history without a culprit was a fluke of the size of one step.
[[nodiscard]] analysis::CulpritSearchSettings known_from_confirmation(const History& history,
                                                                      analysis::Noise& noise);

/// The daemon's noisy bisection.
[[nodiscard]] Finding search(const History& history, const analysis::CulpritSearchSettings& known,
                             analysis::Noise& noise);

/// Whether the named commit is confirmed against the last good one before it, as every record is.
[[nodiscard]] bool is_confirmed(const History& history, const Finding& finding, analysis::Noise& noise);

/// The way of `git bisect`: the middle is bad when the median of `repeats` measurements is beyond half of the
/// known effect, and good otherwise; it never comes back. A commit that does not build is passed over for the
/// nearest that does. It always names one.
[[nodiscard]] Finding bisect(const History& history, double known_effect, std::size_t repeats,
                             analysis::Noise& noise);

}  // namespace tandem::evaluation
