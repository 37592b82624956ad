#pragma once

#include <cstddef>
#include <span>

namespace tandem::analysis {

/// A history without its outliers and with its steps: what the search for changes of level looks at.

/// How many neighbours on either side say where a point is expected to be.
inline constexpr std::size_t neighbours = 3;

/// The median of a point and its neighbours, as far as there are any. A step passes it unharmed; up to three
/// outliers in a row do not.
[[nodiscard]] double local_median(std::span<const double> values, std::size_t index);

/// The deviation of single points, from the differences of successive ones, so that steps and slow moves do
/// not count. 0 with fewer than two points. `values` must be finite.
[[nodiscard]] double local_deviation(std::span<const double> values);

/// The value, or the nearest one that is within three deviations of the local median.
[[nodiscard]] double pulled_in(double value, double local_median, double deviation);

}  // namespace tandem::analysis
