#pragma once

#include <cstddef>
#include <stop_token>

#include "daemon/idle/newest_good.hpp"

namespace tandem::daemon {

/// How many times the launches of a screen a benchmark may get in all.
inline constexpr std::size_t most_continuations = 4;

/// Goes on with the first stored screen of the newest good commit that was inconclusive, under a cap raised
/// by the launches of one screen. Its verdict is replaced; if it is now a suspect, it is settled as one.
[[nodiscard]] IdleStep continue_screen(WalkSteps& steps, const Examination& at, NewestGood& newest);

}  // namespace tandem::daemon
