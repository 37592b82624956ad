#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tandem::analysis {

/// Where a history went from one level to another: all of the move, but for the noise, is between the point
/// before `first` and `last`. A single step has first == last.
struct DriftRange {
  std::size_t first = 0;  ///< the first point off the old level
  std::size_t last = 0;   ///< the first point at the new level
  double size = 0;        ///< new level less the old one
};

/// The shortest range within the points [from, to) that explains their change: a level, an even rise or fall,
/// a level, fitted by least squares, no worse than the best such fit by more than noise makes. Outliers are
/// pulled in first. nullopt where there are fewer than four points or the change is smaller, without its
/// sign, than `smallest`. Quadratic in the number of points: meant for up to a thousand. Throws Error when a
/// value is not finite or the points are not there.
[[nodiscard]] std::optional<DriftRange> drift_range(std::span<const double> values, std::size_t from,
                                                    std::size_t to, double smallest);

}  // namespace tandem::analysis
