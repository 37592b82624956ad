#pragma once

#include <chrono>
#include <cstddef>

namespace tandem::daemon {

/// How long to wait after so many failed fetches in a row: twice as long each time, beginning with the
/// interval of the polls, an hour at most; and by `chance` (0 to 1, drawn anew each time) down to half of
/// that, so that many hosts do not return to a server at the same moment.
[[nodiscard]] std::chrono::duration<double> back_off(std::size_t failures,
                                                     std::chrono::duration<double> interval, double chance);

/// How often a commit that could not be examined is tried, a suspect that could not be confirmed, and a fix
/// that could not be measured.
inline constexpr std::size_t most_tries = 6;

/// How long to wait after so many tries: four times as long each time, beginning with `first`, a day at most.
[[nodiscard]] std::chrono::seconds pause_after(std::size_t tries, std::chrono::duration<double> first);

}  // namespace tandem::daemon
