#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

namespace tandem::daemon {

/// The event loop of the main thread: signals, the stop file, and the timer for both and for what the command
/// waits for. The command itself is straight code on a thread of its own; while nothing is due, both sleep.
///
/// SIGINT and SIGTERM request a stop. A second signal ends the process at once, unless it must not: then a
/// hang-up and SIGQUIT stop as well, and a broken pipe is no reason to end.
///
/// Made on the main thread before any other thread is started, so that all threads inherit the blocked
/// signals. Throws Error if it cannot be made.
class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  enum class SecondSignal { ends_at_once, is_ignored };
  explicit EventLoop(SecondSignal second = SecondSignal::ends_at_once);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs the command and the loop until the command has ended. Its result, or what it threw. Once only.
  int run(const std::function<int()>& command);

  [[nodiscard]] std::stop_token stop_token() const;

  /// FAI-PEP's stop file: requests a stop within a second after its content has become 0. An empty path:
  /// none. This and the next are for the command.
  void watch_stop_file(const std::filesystem::path& file);

  /// Waits until `time`, until a stop is requested, or until `look` says yes, which is asked at once and then
  /// every second, on the main thread. Whether it said yes; without a `look` nothing wakes up meanwhile.
  bool wait_until(Clock::time_point time, std::function<bool()> look = {});

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

}  // namespace tandem::daemon
