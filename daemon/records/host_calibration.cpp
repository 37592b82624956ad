#include "daemon/records/host_calibration.hpp"

#include <algorithm>

namespace tandem::daemon {

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
