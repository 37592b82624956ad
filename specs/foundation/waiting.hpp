#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <utility>

namespace tandem {

/// Waits for `time`, or until a stop is requested; returns whether to go on.
bool pause_unless_stopped(std::chrono::duration<double> time, const std::stop_token& stop);

/// Work on a large file was given up because a stop was requested. Nothing failed, hence no Error.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// As long as this lives, hashing and copying on this thread end with `Stopped` when the stop is requested.
class StopScope {
 public:
  explicit StopScope(std::stop_token stop) : outer_(std::exchange(current(), std::move(stop))) {}
  ~StopScope() { current() = std::move(outer_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Called between pieces that take no more than a moment each.
  static void give_up_if_stopped() {
    if (current().stop_requested()) throw Stopped();
  }

 private:
  static std::stop_token& current() {
    static thread_local std::stop_token token;
    return token;
  }

  std::stop_token outer_;
};

/// How long to wait after so many failed fetches in a row: twice as long each time, beginning with the
/// interval of the polls, an hour at most; and by `chance` (0 to 1, drawn anew each time) down to half of
/// that, so that many hosts do not return to a server at the same moment.
[[nodiscard]] std::chrono::duration<double> back_off(std::size_t failures,
                                                     std::chrono::duration<double> interval, double chance);

/// How often a commit that could not be examined is tried, a suspect that could not be confirmed, and a fix
/// that could not be measured.
inline constexpr std::size_t most_tries = 6;

/// How long to wait after so many tries: four times as long each time, beginning with `first`, a day at most.
[[nodiscard]] std::chrono::seconds pause_after(std::size_t tries, std::chrono::duration<double> first);

}  // namespace tandem
