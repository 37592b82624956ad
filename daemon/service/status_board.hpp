#pragma once

#include <chrono>
#include <string>

#include "daemon/records/status.hpp"
#include "daemon/service/loop.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {

/// Writes status.json at most once a second, and tells the person who looks on.
class StatusBoard {
 public:
  /// All of them outlive it.
  StatusBoard(const Publisher& publisher, Status& status, const Watcher& watcher)
      : publisher_(publisher), status_(status), watcher_(watcher) {}

  void show();
  /// Writes it now.
  void publish();
  /// The last thing that is written, however the daemon ends.
  void stop();

 private:
  const Publisher& publisher_;
  Status& status_;
  const Watcher& watcher_;
  std::chrono::steady_clock::time_point last_{};
  std::string phase_;
  std::string commit_;
};

}  // namespace tandem::daemon
