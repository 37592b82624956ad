#include "specs/foundation/wall_clock.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

namespace tandem {
namespace {

constexpr std::int64_t year_0 = -62'167'219'200;
constexpr std::int64_t year_10000 = 253'402'300'800;
constexpr std::string_view pattern = "0000-00-00T00:00:00Z";

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

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
  std::optional<std::int64_t> seconds;
  if (text.starts_with('@')) {
    seconds = whole_number<std::int64_t>(text.substr(1));
  } else if (text.size() == pattern.size()) {
    std::array<std::optional<int>, 6> parts;
    for (std::size_t i = 0, at = 0; i < parts.size(); ++i) {
      const std::size_t digits = i == 0 ? 4 : 2;
      parts[i] = whole_number<int>(text.substr(at, digits));
      if (!parts[i] || *parts[i] < 0) return std::nullopt;
      at += digits + 1;
    }
    const std::chrono::year_month_day date{std::chrono::year{*parts[0]},
                                           std::chrono::month{static_cast<unsigned>(*parts[1])},
                                           std::chrono::day{static_cast<unsigned>(*parts[2])}};
    if (!date.ok()) return std::nullopt;
    const auto time = std::chrono::sys_days{date} + std::chrono::hours{*parts[3]} +
                      std::chrono::minutes{*parts[4]} + std::chrono::seconds{*parts[5]};
    seconds = time.time_since_epoch().count();
  }
  // Writing it again finds what is left: wrong separators, an hour of 25, a number that is no time's text.
  if (!seconds || iso_time(*seconds) != text) return std::nullopt;
  return seconds;
}

std::string readable_time(std::int64_t seconds) {
  const std::string iso = iso_time(seconds);
  if (iso.starts_with('@')) return iso;
  return fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5));
}

}  // namespace tandem
