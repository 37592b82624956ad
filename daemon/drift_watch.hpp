#pragma once

#include <cstddef>
#include <stop_token>

#include "daemon/idle_ground.hpp"

namespace tandem::daemon {

/// The fewest launches of a point; noisier benchmarks get more, up to those of a screen.
inline constexpr std::size_t launches_of_a_point = 12;

/// Measures the newest good commit against the pinned anchor of its month or week, for the first benchmark
/// that has no point there yet, and adds the point to the series. If the series since its anchor, in one
/// environment, has moved by half the margin, that is settled as a suspect with the anchor as its control.
/// Anchors are commits where the benchmark is the same thing. Where nothing could be recorded, no point is
/// measured.
[[nodiscard]] IdleStep watch_drift(const IdleGround& ground, const Line& line, NewestGood& newest,
                                   const std::stop_token& stop);

}  // namespace tandem::daemon
