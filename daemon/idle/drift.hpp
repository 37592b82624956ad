#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/idle/newest_good.hpp"
#include "daemon/store/store.hpp"

namespace tandem::daemon {

// What the points of a drift series say together. Pure. Points are of one series, oldest first.
/// The levels of all points as one history, ln: an anchor stands where its own point stood, or where the
/// series was when it began; another environment goes on at the same level.
[[nodiscard]] std::vector<double> levels_of(const std::vector<store::StoredPoint>& points);

/// A lasting change of level between two commits that have points.
struct LastingChange {
  std::string before;
  std::string commit;  ///< the first at the new level
  double size = 0;     ///< ln, as a cost
};

/// The change of at least a quarter of the margin that the newest point made certain, eight points after it;
/// nothing if it was known without that.
[[nodiscard]] std::optional<LastingChange> change_by_newest(const std::vector<store::StoredPoint>& points,
                                                            double margin);

/// Between which two commits most of the newest anchor's drift lies; nothing if the points do not tell.
[[nodiscard]] std::optional<LastingChange> range_of_drift(const std::vector<store::StoredPoint>& points,
                                                          double margin);

/// The fewest launches of a point; noisier benchmarks get more, up to those of a screen.
inline constexpr std::size_t launches_of_a_point = 12;

/// Measures the newest good commit against the pinned anchor of its month or week, for the first benchmark
/// that has no point there yet, and adds the point to the series. If the series since its anchor, in one
/// environment, has moved by half the margin, that is settled as a suspect with the anchor as its control.
/// Anchors are commits where the benchmark is the same thing. Where nothing could be recorded, no point is
/// measured.
[[nodiscard]] IdleStep watch_drift(WalkSteps& steps, const Examination& at, NewestGood& newest);

}  // namespace tandem::daemon
