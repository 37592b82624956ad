#include "runners/measuring_lock.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace tandem::runners {
namespace {

std::filesystem::path lock_path() {
  // A test may use a lock of its own; people never need to.
  if (const char* chosen = std::getenv("TANDEM_LOCK_FILE"); chosen != nullptr) return chosen;
  std::error_code error;
  const char* directory = std::filesystem::is_directory("/run/lock", error) ? "/run/lock" : "/tmp";
  return std::filesystem::path(directory) / "tandem-measuring.lock";
}

}  // namespace

MeasuringLock::MeasuringLock(const std::function<void(const std::string&)>& waiting, std::stop_token stop)
    : file_(lock_path()) {
  bool told = false;
  std::mutex mutex;
  std::condition_variable_any condition;
  while (!(held_ = file_.try_lock())) {
    if (!told && waiting) waiting(file_.holder());
    told = true;
    // A file lock cannot be waited for together with a stop request, hence a slow poll while somebody else
    // measures.
    std::unique_lock lock(mutex);
    condition.wait_for(lock, stop, std::chrono::milliseconds{200}, [] { return false; });
    if (stop.stop_requested()) return;
  }
}

}  // namespace tandem::runners
