#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "daemon/idle/newest_good.hpp"
#include "daemon/walk/host_fitness.hpp"

namespace tandem::daemon {

/// Evidence against "no change" in trials of one commit with itself at which the host is not believed.
inline constexpr double quarantine_evidence = 1000;

/// Of the machine's time that goes to such trials.
inline constexpr double null_screen_share = 0.05;

/// Live A/A: screens of the newest good commit against itself, benchmark by benchmark in rotation, so that it
/// is known how often equal builds are suspects.
///
/// One that is a suspect is looked at a second time at once, with new coins. What both say together, from
/// quarantine_evidence on, puts the host into quarantine: an event, and nothing is recorded until the
/// benchmark is unchanged next to itself, or its program does not have it any more. An inconclusive trial or
/// one that fails leaves it there. Those in quarantine come first.
class NullScreens {
 public:
  explicit NullScreens(std::int64_t now) : started_(now), not_before_(now) {}

  /// Nothing to do until so much time has passed since the last one that it was null_screen_share of it. What
  /// is not used is not saved up: other work comes to its turn.
  [[nodiscard]] IdleStep next(WalkSteps& steps, const Examination& at, NewestGood& newest);

 private:
  [[nodiscard]] const Trial* turn_of(WalkSteps& steps, const NewestGood& newest) const;
  IdleStep screen(WalkSteps& steps, const Examination& at, NewestGood& newest, const Trial& trial);

  std::int64_t started_;  ///< gives every process coins of its own
  std::int64_t not_before_;
  std::map<std::string, std::size_t> made_;  ///< by benchmark
};

}  // namespace tandem::daemon
