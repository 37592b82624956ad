#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "daemon/idle/idle_calibration.hpp"
#include "daemon/idle/newest_good.hpp"
#include "daemon/idle/null_screens.hpp"

namespace tandem::daemon {

/// What the daemon does at the tip of a branch, one step at a time, so that a new commit never waits long.
///
/// Each step stores and shows what it found at once. A program that fails in one is an event, and is left
/// alone in that kind of work until the next commit.
class IdleTime {
 public:
  /// `steps` outlives it. `seconds`: that the calibration of one benchmark may take.
  explicit IdleTime(WalkSteps& steps, double seconds = 30);
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;

  enum class Work { calibration, all, all_but_calibration, fixes };  ///< fixes: what they left, no more
  enum class Spent {
    calibrated,
    continued,             ///< an inconclusive screen
    retested,              ///< a regression that is alive
    compared_with_itself,  ///< live A/A
    compared_with_anchor,  ///< a point of a drift series
    failed,                ///< of the host: an event; tried again after an hour or with the next commit
    nothing_to_do,
    stopped
  };
  /// One step, the first that there is in this order: calibration, inconclusive screen, re-test, live A/A,
  /// anchor. A stop ends it between launches and nothing of it is stored. Does not throw.
  [[nodiscard]] Spent spend_next(const Line& line, const std::stop_token& stop, Work work = Work::all);

 private:
  Spent spend(const Line& line, const std::stop_token& stop, Work work);
  /// False: it does not build any more, or it was stopped.
  bool look_at(const Examination& at);
  void show_findings();
  void fail(const std::string& sentence);

  WalkSteps& steps_;
  IdleCalibration calibration_;
  NullScreens null_screens_;
  std::string failed_with_;  ///< the newest good commit when the host failed
  std::int64_t failed_at_ = 0;
  std::optional<NewestGood> newest_;
};

}  // namespace tandem::daemon
