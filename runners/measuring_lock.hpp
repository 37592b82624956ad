#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "runners/file_lock.hpp"

namespace tandem::runners {

/// One measurement at a time on this host: held by every command that measures, for as long as it measures.
///
/// A lock on a file that every user may open; the kernel gives it back when the holder dies.
class MeasuringLock {
 public:
  /// Waits for the lock. `waiting` is told once who holds it, if it is held. Throws `Error` if the file
  /// cannot be opened, and returns without the lock (see `held`) when `stop` is requested.
  explicit MeasuringLock(const std::function<void(const std::string& holder)>& waiting,
                         std::stop_token stop = {});
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  [[nodiscard]] bool held() const { return held_; }

 private:
  FileLock file_;
  bool held_ = false;
};

}  // namespace tandem::runners
