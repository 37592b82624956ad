#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/store/store.hpp"

// What the points of a drift series say together. Pure. Points are of one series, oldest first.
namespace tandem::daemon {

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

}  // namespace tandem::daemon
