#pragma once

#include <stop_token>
#include <thread>

namespace tandem::daemon {

/// Turns SIGINT and SIGTERM into a stop request for as long as it lives. A second signal ends the process at
/// once.
///
/// Made on the main thread before any other thread is started, so that all threads inherit the blocked
/// signals.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  void request_stop() { source_.request_stop(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace tandem::daemon
