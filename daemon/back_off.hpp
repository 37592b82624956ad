#pragma once

#include <chrono>
#include <cstddef>

namespace tandem::daemon {

/// How long to wait after so many failed fetches in a row: twice as long each time, beginning with the
/// interval of the polls, an hour at most; and by `chance` (0 to 1, drawn anew each time) down to half of
/// that, so that many hosts do not return to a server at the same moment.
[[nodiscard]] std::chrono::duration<double> back_off(std::size_t failures,
                                                     std::chrono::duration<double> interval, double chance);

}  // namespace tandem::daemon
