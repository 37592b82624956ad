#pragma once

#include <chrono>
#include <cstdint>

namespace tandem::daemon {

/// Seconds since 1970 UTC.
[[nodiscard]] inline std::int64_t now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace tandem::daemon
