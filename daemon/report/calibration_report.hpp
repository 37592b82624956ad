#pragma once

#include <string>
#include <vector>

#include "daemon/host_calibration.hpp"
#include "daemon/record.hpp"

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

/// One calibration as one line of JSON, the same object that the documents above hold. What was written is
/// read back exactly, every double bit for bit; any other text throws Error.
[[nodiscard]] std::string calibration_line(const analysis::Calibration& calibration);
[[nodiscard]] analysis::Calibration calibration_from_line(const std::string& text);

}  // namespace tandem::daemon::report
