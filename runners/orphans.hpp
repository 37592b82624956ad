#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

namespace tandem::runners {

/// Keeps count of the children that are alive on purpose, so that everything else can be told from them.
///
/// Whatever a child leaves behind outside its process group is re-parented to this process (it is made a
/// "subreaper"), found here, killed and reaped. All functions are thread-safe.
class Orphans {
 public:
  /// Held from before a fork until the new child is adopted, so that no sweep takes it for an orphan.
  [[nodiscard]] static std::unique_lock<std::mutex> hold();
  static void adopt(int pid);  ///< the caller holds the lock
  static void release(int pid);

  /// Kills and reaps every direct child that was not adopted and does not share our own process group.
  /// Returns how many of them were still alive.
  static std::size_t sweep();
};

/// Waits for a killed child; false if it is still there when time is up (stuck in the kernel).
bool reap(int pid, std::chrono::milliseconds patience);

}  // namespace tandem::runners
