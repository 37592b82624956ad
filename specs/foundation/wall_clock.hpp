#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// Seconds since 1970 UTC.
[[nodiscard]] inline std::int64_t now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

/// Seconds since 1970 UTC as ISO 8601, "2024-01-08T09:12:00Z". Commits may claim any time: one that four
/// digits of a year cannot say is written as "@" and the seconds.
[[nodiscard]] std::string iso_time(std::int64_t seconds);

/// Reads exactly what iso_time wrote; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> seconds_from_iso(std::string_view text);

/// The same to the minute for a person: "2024-01-08 09:12 UTC".
[[nodiscard]] std::string readable_time(std::int64_t seconds);

}  // namespace tandem
