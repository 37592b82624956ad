#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

namespace tandem::runners {

/// Keeps count of the children that are alive on purpose, so that everything else can be told from them.
///
/// Whatever a child leaves behind outside its process group is re-parented to this process (it is made a
/// "subreaper"), found here, killed and reaped. Whose it was is told by its session, which every child leads
/// one of, and else by the environment that it was started with. All functions are thread-safe.
class Orphans {
 public:
  /// Held from before a fork until the new child is adopted, so that no sweep takes it for an orphan.
  [[nodiscard]] static std::unique_lock<std::mutex> hold();
  static void adopt(int pid, const char* const* environment);  ///< the caller holds the lock

  /// The adopted child has ended. Kills and reaps what it left behind, or somebody of whom nothing is known;
  /// what belongs to another adopted child is left to that one's end. Returns how many were still alive.
  static std::size_t sweep_after(int pid);

  /// Kills and reaps what is nobody's.
  static void sweep();
};

/// Waits for a killed child; false if it is still there when time is up (stuck in the kernel).
bool reap(int pid, std::chrono::milliseconds patience);

}  // namespace tandem::runners
