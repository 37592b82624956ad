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

bool is_unmeasurable(const analysis::Calibration& calibration) {
  return calibration.minimum_detectable_effect > 2 * calibration.margin;
}

int exit_code(const HostCalibration& calibration) {
  if (!calibration.failed.empty()) return 4;
  const bool poor = std::any_of(
      calibration.benchmarks.begin(), calibration.benchmarks.end(),
      [](const analysis::Calibration& one) { return !one.unfit.empty() || is_unmeasurable(one); });
  return poor ? 3 : 0;
}

}  // namespace tandem::daemon
