#include "runners/pairing/measuring_lock.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::runners {
namespace {

using Clock = std::chrono::steady_clock;

std::filesystem::path lock_path() {
  // A test may use a lock of its own; people never need to.
  if (const char* chosen = std::getenv("TANDEM_LOCK_FILE"); chosen != nullptr) return chosen;
  std::error_code error;
  const char* directory = std::filesystem::is_directory("/run/lock", error) ? "/run/lock" : "/tmp";
  return std::filesystem::path(directory) / "tandem-measuring.lock";
}

std::filesystem::path queue_path() {
  return lock_path().string() + ".waiting";
}

/// The share that a person holds while waiting. It comes and goes with the process.
class PlaceInQueue {
 public:
  PlaceInQueue() : file_(queue_path(), FileLock::For::group) {}
  /// Tried again at every look, for the daemon may be looking at the file at this moment.
  void take() { taken_ = taken_ || file_.try_share(); }

 private:
  FileLock file_;
  bool taken_ = false;
};

/// Whether a person waits, as the daemon sees it.
class Queue {
 public:
  Queue() : file_(queue_path(), FileLock::For::group) {}

  /// A person who waits takes the lock at the next look. One that does not do so in ten seconds in which it
  /// is free was suspended, and counts again only after the queue was empty.
  bool lets_the_daemon_go_first(FileLock& measuring) {
    if (file_.try_lock()) {
      file_.unlock();
      suspended = false;
      return true;
    }
    if (suspended) return true;
    if (!measuring.try_share()) {
      free_since_.reset();
      return false;
    }
    measuring.unlock();
    if (!free_since_) free_since_ = Clock::now();
    suspended = Clock::now() - *free_since_ > std::chrono::seconds{10};
    return suspended;
  }

 private:
  static inline std::atomic<bool> suspended = false;
  FileLock file_;
  std::optional<Clock::time_point> free_since_;
};

}  // namespace

MeasuringLock::MeasuringLock(const std::function<void(const std::string&)>& waiting, std::stop_token stop,
                             Asker asker) {
  try {
    file_.emplace(lock_path(), FileLock::For::group);
  } catch (const Error& error) {
    uncoordinated_ = fmt::format(
        "this host is not coordinated, others may measure at the same time: {}; it is for the group of "
        "that file, best a group called tandem",
        error.what());
    return;
  }
  std::optional<PlaceInQueue> place;
  std::optional<Queue> queue;
  try {
    if (asker == Asker::daemon) queue.emplace();
    if (asker == Asker::person) place.emplace();
  } catch (const Error&) {
    // Without the second file everybody waits alike.
  }
  bool told = false;
  for (;;) {
    const bool may_try = !queue || queue->lets_the_daemon_go_first(*file_);
    if (may_try && (held_ = file_->try_lock())) return;
    if (place) place->take();
    if (!told && waiting) waiting(may_try ? file_->holder() : "a command that a person started");
    told = true;
    // A file lock cannot be waited for together with a stop request, hence a slow poll while somebody else
    // measures.
    if (!pause_unless_stopped(std::chrono::milliseconds{100}, stop)) return;
  }
}

}  // namespace tandem::runners
