#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/calibration.hpp"

// Shared by the writers and readers of this folder only.
namespace tandem::daemon::report {

[[nodiscard]] nlohmann::ordered_json to_json(const analysis::Calibration& calibration);
/// Reads exactly what the writer wrote and throws Error for anything else.
[[nodiscard]] analysis::Calibration calibration_from_json(const nlohmann::ordered_json& value);

}  // namespace tandem::daemon::report
