#pragma once

#include <string>
#include <vector>

#include "daemon/records/host_calibration.hpp"
#include "daemon/records/record.hpp"

namespace tandem::daemon::report {

/// Pure: the same record gives the same text.
[[nodiscard]] std::string calibration_text(const HostCalibration& calibration);
[[nodiscard]] std::string calibration_json(const HostCalibration& calibration);

/// A calibration that was kept, and what for: a watch's platform, or a program calibrated by hand.
struct KeptCalibration {
  WatchKey key;
  analysis::Calibration calibration;
};
[[nodiscard]] std::string kept_calibrations_text(const std::vector<KeptCalibration>& kept);
[[nodiscard]] std::string kept_calibrations_json(const std::vector<KeptCalibration>& kept);

}  // namespace tandem::daemon::report
