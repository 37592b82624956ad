#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "specs/foundation/file_lock.hpp"

namespace tandem::runners {

/// One measurement at a time on this host: held by every command that measures, for as long as it measures.
///
/// A lock on a file of the group `tandem` (see FileLock); the kernel gives it back when the holder dies. Who
/// may not open the file measures all the same, uncoordinated, and is told so. A person who waits comes
/// before the daemon, which would otherwise take the lock again the moment it gave it back: people hold a
/// share of a second file while they wait, and the daemon stands back as long as somebody does, but for at
/// most ten seconds in which nobody measures.
class MeasuringLock {
 public:
  enum class Asker { person, daemon };

  /// Waits for the lock. `waiting` is told once who holds it, if it is held. Returns without the lock (see
  /// `held`) when `stop` is requested or the file cannot be opened.
  explicit MeasuringLock(const std::function<void(const std::string& holder)>& waiting,
                         std::stop_token stop = {}, Asker asker = Asker::person);
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  [[nodiscard]] bool held() const { return held_; }
  /// A sentence for the person: why others may measure at the same time. Empty: they do not.
  [[nodiscard]] const std::string& uncoordinated() const { return uncoordinated_; }

 private:
  std::optional<FileLock> file_;
  bool held_ = false;
  std::string uncoordinated_;
};

}  // namespace tandem::runners
