#include "daemon/records/comparison.hpp"

#include <algorithm>

namespace tandem::daemon {

int exit_code(const Comparison& comparison) {
  return exit_code(comparison.benchmarks);
}

int worse_code(int one, int other) {
  for (const int code : {1, 2, 4, 3}) {
    if (one == code || other == code) return code;
  }
  return 0;
}

int exit_code(const std::vector<Screened>& benchmarks) {
  const auto any = [&](analysis::Outcome outcome) {
    return std::any_of(benchmarks.begin(), benchmarks.end(),
                       [&](const Screened& one) { return one.verdict.outcome == outcome; });
  };
  if (any(analysis::Outcome::slower) || any(analysis::Outcome::treatment_fails)) return 1;
  if (any(analysis::Outcome::failed) || any(analysis::Outcome::control_fails)) return 4;
  const bool unknown = std::any_of(benchmarks.begin(), benchmarks.end(), [](const Screened& one) {
    return one.verdict.outcome == analysis::Outcome::inconclusive && one.rank == Screened::Rank::primary;
  });
  if (unknown) return 3;
  return 0;
}

}  // namespace tandem::daemon
