#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "daemon/measure/screening.hpp"
#include "runners/pairing/pairing.hpp"

// Step 3 of the walk for everybody who measures: look at a benchmark, arrange it, shape its launches, take
// its margin; then `screen` runs and judges it.
namespace tandem::daemon {

/// What is known of a benchmark before anybody has looked at it.
struct MeasurementRequest {
  runners::ProgramPair pair;
  runners::Protocol protocol = runners::Protocol::slices;
  std::string benchmark;    ///< as the program names it; of a whole process one of those that it has
  std::size_t threads = 1;  ///< of whole processes
  runners::CpuChoice cpus = {};
  double margin = 0.01;            ///< as configured
  std::string usual_pairing = {};  ///< taken without a calibration, if it is possible; "auto" or empty: any
  std::optional<runners::Pairing> asked_pairing = {};  ///< by a person: that one or none
  std::optional<analysis::Calibration> calibration = {};
  std::string host = {};  ///< that a calibration has to be of; empty: any
};

/// How a benchmark is measured.
struct MeasurementPlan {
  runners::BenchmarkFacts facts;
  runners::PossibleArrangements possible;
  runners::Subject screen;
  runners::Subject confirmation;
  std::optional<PriorSigma> prior;  ///< from the calibration; nothing: a short A/A has to find it
  analysis::Margin margin;

  /// The settings of its screen.
  [[nodiscard]] ScreeningSettings screening(std::size_t max_launches, std::uint64_t seed) const;
};

/// Looks at the benchmark and decides. Throws InputError if the pairing that was asked for is not possible.
[[nodiscard]] std::variant<MeasurementPlan, runners::RunFailure> plan_measurement(
    runners::PairRunner& runner, const MeasurementRequest& request, const std::stop_token& stop);

/// The same without a look, of a benchmark whose facts are known. Pure.
[[nodiscard]] MeasurementPlan plan_measurement(const MeasurementRequest& request,
                                               const runners::BenchmarkFacts& facts,
                                               runners::PossibleArrangements possible);

/// The shape of its launches; whole processes have a pairing and no slices.
[[nodiscard]] runners::SliceShape shape_of(runners::Protocol protocol, const runners::BenchmarkFacts& facts,
                                           const runners::Arrangement& arrangement);

}  // namespace tandem::daemon
