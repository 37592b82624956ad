#include "specs/waiting.hpp"

#include <condition_variable>
#include <mutex>

namespace tandem::specs {

bool pause_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace tandem::specs
