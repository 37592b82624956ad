#pragma once

#include <string>
#include <vector>

#include "daemon/records/comparison.hpp"
#include "daemon/records/record.hpp"

// What a program was found to be beside another one, or beside itself. Pure: the same record gives the same
// text.
namespace tandem::daemon::report {

[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// One benchmark's verdict as a sentence, without its name: "slower by 8.1 % (ratio 1.0810, …)".
[[nodiscard]] std::string verdict_sentence(const Screened& screened);

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
