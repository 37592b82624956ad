#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "analysis/calibration.hpp"

namespace tandem::daemon::commands {

/// What `tandem calibrate` found for a program of this name, by benchmark: kept under the watch
/// `calibrated_by_hand`, with the program's name as platform. Where there is no store, or none
/// that can be read, there is nothing: a comparison needs none.
[[nodiscard]] std::map<std::string, analysis::Calibration> kept_calibrations(
    const std::optional<std::filesystem::path>& state_dir, const std::string& program);

}  // namespace tandem::daemon::commands
