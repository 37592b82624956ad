#include "specs/foundation/waiting.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>

namespace tandem {

bool pause_unless_stopped(std::chrono::duration<double> time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

std::chrono::duration<double> back_off(std::size_t failures, std::chrono::duration<double> interval,
                                       double chance) {
  constexpr std::chrono::duration<double> shortest{1};
  constexpr std::chrono::duration<double> longest{3600};
  if (failures == 0) return std::chrono::duration<double>::zero();
  const auto doublings = static_cast<int>(std::min<std::size_t>(failures - 1, 30));
  const auto whole = std::min(longest, std::ldexp(1.0, doublings) * std::max(shortest, interval));
  return whole * (0.5 + 0.5 * std::clamp(chance, 0.0, 1.0));
}

std::chrono::seconds pause_after(std::size_t tries, std::chrono::duration<double> first) {
  constexpr std::chrono::duration<double> shortest{1};
  constexpr std::chrono::duration<double> longest{86400};
  if (tries == 0) return std::chrono::seconds::zero();
  const auto doublings = static_cast<int>(2 * std::min<std::size_t>(tries - 1, 15));
  return std::chrono::ceil<std::chrono::seconds>(
      std::min(longest, std::ldexp(1.0, doublings) * std::max(shortest, first)));
}

}  // namespace tandem
