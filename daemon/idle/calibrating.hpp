#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "analysis/calibration.hpp"
#include "daemon/measure/screening.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::daemon {

/// Seconds of a clock that never goes back.
[[nodiscard]] double steady_seconds();

struct CalibrationSettings {
  double margin = 0.01;           ///< δ as a share
  double seconds = 30;            ///< that it may take; one launch more if that is already too long
  std::size_t max_launches = 66;  ///< of the screens that will follow: for the minimum detectable effect
  std::uint64_t seed = 1;         ///< of all coins
  std::string host;               ///< runners::host_identity
  std::int64_t at = 0;            ///< now, seconds since 1970 UTC
  std::function<double()> clock = steady_seconds;
};

/// What is calibrated: one benchmark of a sliced program, or all of a whole process at once.
struct CalibrationSubject {
  runners::ProgramPair pair;  ///< its control is run next to itself
  runners::Protocol protocol = runners::Protocol::slices;
  std::string benchmark;          ///< of a whole process only a name to be shown
  runners::BenchmarkFacts facts;  ///< of sliced programs
  runners::PossibleArrangements possible;
  /// The program linked with another seed as treatment, beside the original; a sentence: it cannot be.
  /// Without it the layout spread stays unknown.
  std::function<std::variant<runners::ProgramPair, std::string>(std::uint64_t seed)> relink = {};
};

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
