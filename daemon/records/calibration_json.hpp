#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/calibration.hpp"

// Shared by the writers and readers of this folder only.
namespace tandem::daemon::report {

[[nodiscard]] nlohmann::ordered_json to_json(const analysis::Calibration& calibration);
/// Reads exactly what the writer wrote and throws Error for anything else.
[[nodiscard]] analysis::Calibration calibration_from_json(const nlohmann::ordered_json& value);

/// One calibration as one line of JSON, the same object that the documents above hold. What was written is
/// read back exactly, every double bit for bit; any other text throws Error.
[[nodiscard]] std::string calibration_line(const analysis::Calibration& calibration);
[[nodiscard]] analysis::Calibration calibration_from_line(const std::string& text);

}  // namespace tandem::daemon::report
