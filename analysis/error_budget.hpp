#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/confirmation.hpp"

namespace tandem::analysis {

/// For each e-value the smallest level at which the e-BH procedure would report it: of everything reported at
/// that level, at most that share is expected to be false, however the e-values depend on each other (Wang
/// and Ramdas, 2022). Each must be the evidence at the end of its own test, never its maximum on the way. In
/// the order of the e-values; at most 1. Throws Error when one is negative or not a number.
[[nodiscard]] std::vector<double> e_bh_q_values(std::span<const double> e_values);

/// The largest rate that is not ruled out, with confidence `level`, by `seen` in `trials` (Clopper and
/// Pearson, one-sided). 1 without trials. Throws Error when more were seen than tried.
[[nodiscard]] double highest_rate(std::size_t seen, std::size_t trials, double level);

/// What an installation has seen of its own tests.
struct ErrorFacts {
  std::size_t screens = 0;        ///< of one benchmark each
  double days = 0;                ///< in which those were made
  std::size_t null_screens = 0;   ///< of commits that cannot have changed the benchmark
  std::size_t null_suspects = 0;  ///< of those, that were suspected all the same
  double alpha = confirmation_alpha;
};

/// How many records that are false are to be expected: every test, times how often it suspects wrongly, times
/// how often a confirmation lets such a suspect pass.
struct ErrorBudget {
  double tests_per_month = 0;
  double suspect_rate = 1;             ///< over null commits; 1, the worst, as long as none has been screened
  double suspect_rate_high = 1;        ///< the highest that 95 % confidence allows
  double false_records_per_month = 0;  ///< expected, at the rate that was seen
  double most_false_records_per_month = 0;  ///< at the highest rate: the figure for "at most"
};

/// nullopt as long as no time has passed. Throws Error when the facts contradict each other.
[[nodiscard]] std::optional<ErrorBudget> error_budget(const ErrorFacts& facts);

}  // namespace tandem::analysis
