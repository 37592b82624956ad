#include "daemon/back_off.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::daemon {

std::chrono::duration<double> back_off(std::size_t failures, std::chrono::duration<double> interval,
                                       double chance) {
  constexpr std::chrono::duration<double> shortest{1};
  constexpr std::chrono::duration<double> longest{3600};
  if (failures == 0) return std::chrono::duration<double>::zero();
  const auto doublings = static_cast<int>(std::min<std::size_t>(failures - 1, 30));
  const auto whole = std::min(longest, std::ldexp(1.0, doublings) * std::max(shortest, interval));
  return whole * (0.5 + 0.5 * std::clamp(chance, 0.0, 1.0));
}

}  // namespace tandem::daemon
