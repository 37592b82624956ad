#pragma once

#include <optional>
#include <stop_token>

#include "daemon/idle/calibrating.hpp"
#include "daemon/idle/calibration_candidate.hpp"

namespace tandem::daemon {

/// Thrown by the launcher when the calibration as a whole has failed or was stopped; caught in `calibrate`.
struct CalibrationEnded {
  runners::RunFailure failure;
};

/// Makes the launches of one calibration, one by one, and keeps the time.
///
/// A program that cannot run at all, or that hangs, ends the calibration. One that fails in a single
/// arrangement loses that one; one launch in twenty may be lost in any case.
class CalibrationLauncher {
 public:
  CalibrationLauncher(runners::PairRunner& runner, const CalibrationSubject& subject,
                      const CalibrationSettings& settings, const ShowProgress& show,
                      const std::stop_token& stop);

  /// The control next to itself; what it took, typically, if it went well.
  std::optional<double> next_to_itself(CalibrationCandidate& candidate);
  /// One slot alone, the other alive and waiting.
  std::optional<double> alone(CalibrationCandidate& candidate, std::size_t slot);
  /// With more work for one side.
  void with_planted(CalibrationCandidate& candidate);
  /// Another pair, measured as the candidate does; ln(treatment / control).
  std::optional<double> log_ratio(CalibrationCandidate& candidate, const runners::ProgramPair& pair,
                                  const runners::LaunchPlan& plan);

  /// Whether so many more launches of the candidate end before that share of the time is over.
  [[nodiscard]] bool fits(const CalibrationCandidate& candidate, double share,
                          std::size_t launches = 1) const;
  [[nodiscard]] double spent() const { return settings_.clock() - begin_; }
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] const runners::RunFailure& last_failure() const { return last_failure_; }

 private:
  struct Made {
    std::vector<runners::Sampled> all;
    double seconds = 0;
  };
  std::optional<Made> launch(CalibrationCandidate& candidate, const runners::ProgramPair& pair,
                             const runners::LaunchPlan& plan);
  void bear(CalibrationCandidate& candidate, runners::RunFailure failure);
  void tell() const;
  [[nodiscard]] double average() const;

  runners::PairRunner& runner_;
  const CalibrationSubject& subject_;
  const CalibrationSettings& settings_;
  const ShowProgress& show_;
  const std::stop_token& stop_;
  runners::ProgramPair pair_;
  const double begin_;
  std::size_t made_ = 0;
  std::size_t lost_ = 0;
  double in_launches_ = 0;
  runners::RunFailure last_failure_;
};

}  // namespace tandem::daemon
