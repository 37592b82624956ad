#pragma once

#include <filesystem>
#include <stop_token>
#include <thread>

namespace tandem::daemon {

/// FAI-PEP's stop file: asks for a stop within a second after its content has become 0. Ends with its scope.
class StopFile {
 public:
  /// An empty path: none. `stop` outlives it.
  StopFile(std::filesystem::path file, std::stop_source& stop);

 private:
  std::jthread watcher_;
};

/// Turns SIGINT and SIGTERM into a stop request for as long as it lives. A second signal ends the process at
/// once, unless it must not: then a hang-up and SIGQUIT stop as well, and a broken pipe is no reason to end.
///
/// Made on the main thread before any other thread is started, so that all threads inherit the blocked
/// signals.
class StopSignals {
 public:
  enum class Second { ends_at_once, is_ignored };
  explicit StopSignals(Second second = Second::ends_at_once);
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
