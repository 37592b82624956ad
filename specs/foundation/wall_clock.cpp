#include "specs/foundation/wall_clock.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <ctime>

namespace tandem {
namespace {

constexpr std::int64_t year_0 = -62'167'219'200;
constexpr std::int64_t year_10000 = 253'402'300'800;

}  // namespace

std::string iso_time(std::int64_t seconds) {
  if (seconds < year_0 || seconds >= year_10000) return fmt::format("@{}", seconds);
  const std::chrono::sys_seconds time{std::chrono::seconds{seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int{date.year()}, unsigned{date.month()},
                     unsigned{date.day()}, clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

std::optional<std::int64_t> seconds_from_iso(std::string_view text) {
  const std::string written(text);
  std::int64_t seconds = 0;
  std::tm parts{};
  if (text.starts_with('@')) {
    std::from_chars(written.data() + 1, written.data() + written.size(), seconds);
  } else if (::strptime(written.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) != nullptr) {
    seconds = ::timegm(&parts);
  }
  // Writing it again finds what is wrong: separators, an hour of 25, a number that is no time's text.
  if (iso_time(seconds) != text) return std::nullopt;
  return seconds;
}

std::string readable_time(std::int64_t seconds) {
  const std::string iso = iso_time(seconds);
  if (iso.starts_with('@')) return iso;
  return fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5));
}

}  // namespace tandem
