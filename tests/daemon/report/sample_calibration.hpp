#pragma once

#include "daemon/records/comparison.hpp"

namespace tandem::tests {

/// Every field is set, most of them to numbers that only an exact round trip keeps.
[[nodiscard]] analysis::Calibration sample_calibration(const std::string& benchmark);

/// A sound benchmark, an unfit one, a noisy whole process and one that failed.
[[nodiscard]] daemon::HostCalibration sample_host_calibration();

}  // namespace tandem::tests
