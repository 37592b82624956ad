#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "analysis/calibration.hpp"
#include "daemon/measure/screening.hpp"
#include "runners/pairing/pair_runner.hpp"

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

/// One arrangement under calibration, with all that was measured in it.
class CalibrationCandidate {
 public:
  /// `number` gives it coins of its own.
  CalibrationCandidate(const runners::Arrangement& arrangement, const runners::Subject& subject,
                       std::uint64_t seed, std::uint64_t number);

  /// The plan of its next launch.
  [[nodiscard]] runners::LaunchPlan next_plan();

  /// A launch of the control next to itself.
  void take(std::vector<runners::Sampled> all, double seconds);
  /// A launch of the positive control.
  void take_planted(std::vector<runners::Sampled> all);
  /// Time per iteration of a launch in company, and of the one alone that followed it.
  void take_turns(double company, double alone);
  /// What both sides took in a launch, in its middle; of the one benchmark of a sliced program.
  [[nodiscard]] static std::optional<double> typical(const std::vector<runners::Sampled>& all);

  /// A program that fails in this arrangement.
  void refuse(std::string why) { refused_ = std::move(why); }
  [[nodiscard]] bool failed() const { return !refused_.empty(); }
  /// From a candidate in which the two sides do not disturb each other, launch by launch in the same turns: a
  /// careful guess at the slow-down of one that was not tried out.
  void compare_with(const CalibrationCandidate& undisturbed);
  /// Keeps what is known of the same pairing and slice in launches of another length.
  void inherit(const CalibrationCandidate& other);

  [[nodiscard]] const runners::Arrangement& arrangement() const { return arrangement_; }
  [[nodiscard]] const runners::Subject& subject() const { return subject_; }
  [[nodiscard]] std::size_t launches() const { return seconds_.size(); }
  [[nodiscard]] double seconds_per_launch() const;
  [[nodiscard]] std::vector<std::string> benchmarks() const;  ///< that launches gave, in their order
  /// By which it is ranked: the geometric mean over its benchmarks; infinite without launches.
  [[nodiscard]] double price(double margin) const;
  /// Why it may not be used, for most of its benchmarks; empty: it may.
  [[nodiscard]] std::string reason(double margin, std::size_t threads) const;
  [[nodiscard]] analysis::TriedArrangement tried(const std::string& benchmark, double margin,
                                                 std::size_t threads) const;
  /// The more work that the positive control gives one side: at least one iteration. Sliced programs only.
  [[nodiscard]] runners::SliceShape planted_shape() const;
  [[nodiscard]] bool was_tried() const { return !planted_.empty(); }
  /// Pairs per launch; 0 of whole processes.
  [[nodiscard]] std::size_t pairs() const;

 private:
  struct Series {
    std::vector<runners::Launch> launches;
    std::optional<double> slow_down;
    specs::Direction direction = specs::Direction::lower_is_better;
  };

  [[nodiscard]] analysis::LaunchNoise noise_of(const Series& series) const;
  [[nodiscard]] std::optional<double> slow_down_of(const Series& series) const;

  runners::Arrangement arrangement_;
  runners::Subject subject_;
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, Series> series_;
  std::vector<double> seconds_;
  std::vector<double> slices_seconds_;
  std::vector<runners::Launch> planted_;
  std::vector<double> company_;
  std::vector<double> alone_;
  std::string refused_;
};

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
