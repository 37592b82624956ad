#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "analysis/calibration.hpp"
#include "daemon/idle/calibration_launches.hpp"
#include "daemon/measure/screening.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::daemon {

/// The control next to itself in every possible way, by successive halving: all ways take turns, so that they
/// meet the same moods of the machine, and the better half by price goes on with twice the launches. The best
/// then shows that it finds a planted slowdown and does not slow its sides down; if it does not, the next one
/// has its turn. The winner's launches are cut to the length that buys most.
///
/// One calibration for a sliced program; one per benchmark, all with one pairing, for a whole process. Where
/// every way is refused the first one is `chosen` and `unfit` says why. A program that crashes or takes too
/// long is a failure of the control, and so is a stop, which comes between two launches.
[[nodiscard]] std::variant<std::vector<analysis::Calibration>, runners::RunFailure> calibrate(
    runners::PairRunner& runner, const CalibrationSubject& subject, const CalibrationSettings& settings,
    const ShowProgress& show, const std::stop_token& stop);

}  // namespace tandem::daemon
