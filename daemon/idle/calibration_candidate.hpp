#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

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

}  // namespace tandem::daemon
