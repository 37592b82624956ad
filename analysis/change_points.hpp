#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tandem::analysis {

/// A lasting change of level in a history.
struct ChangePoint {
  std::size_t index = 0;  ///< the first point of the new level
  double before = 0;      ///< mean level back to the change before it, over a window's points at most
  double after = 0;       ///< mean level up to the next change, likewise
  double p_value = 1;     ///< of the two levels being one, every place for the change counted

  friend bool operator==(const ChangePoint&, const ChangePoint&) = default;
};

struct ChangePointSettings {
  std::size_t window = 100;         ///< points that are looked at together
  std::size_t minimum_segment = 4;  ///< the fewest points that make a level
  double significance = 0.001;      ///< the largest p-value
  double minimum_size = 0;          ///< without sign: smaller changes are not worth naming
};

/// The changes of level in a growing history, such as log-ratios against an anchor. Every new point looks at
/// the last window of points again, and no further: the time per point does not depend on the length of the
/// history. Changes in the last half of a window are provisional; older ones stay as they are.
///
/// The window is divided where a t-test tells most, then its parts, at ten times the significance, so that
/// two changes that hide each other are found; then the weakest are joined again until all that is left is
/// significant between its neighbours (as Apache Otava does). Outliers are pulled in first.
class ChangePoints {
 public:
  /// Throws InputError when the settings leave no room for two levels in half a window.
  explicit ChangePoints(const ChangePointSettings& settings = {});

  /// Throws Error when the value is not finite.
  void append(double value);
  [[nodiscard]] const std::vector<ChangePoint>& points() const { return points_; }

 private:
  ChangePointSettings settings_;
  std::vector<double> values_;
  std::vector<double> medians_;  ///< of each point and its neighbours
  std::vector<ChangePoint> points_;
  std::size_t settled_ = 0;  ///< how many of those stay as they are
  std::size_t start_ = 0;    ///< of the window: the last settled one, or a window ago
};

/// The same for a whole history at once.
[[nodiscard]] std::vector<ChangePoint> change_points(std::span<const double> values,
                                                     const ChangePointSettings& settings = {});

}  // namespace tandem::analysis
