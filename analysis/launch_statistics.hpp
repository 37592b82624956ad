#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "runners/pairing/samples.hpp"

namespace tandem::analysis {

/// What one launch says, as ln(treatment / control). Above 0 the treatment's values are the larger ones;
/// whether that is worse is the caller's knowledge.
///
/// Both numbers are exactly antisymmetric: with the two sides of the launch exchanged they change their sign
/// and nothing else. So under the coin, and with equal builds, either sign is equally likely whatever the
/// noise.
struct LaunchStatistics {
  double median =
      0.0;  ///< of the typical slice: per order of the two sides the median over slices, orders averaged
  double total = 0.0;  ///< of the time spent: the ratio of the summed slices, the most extreme ones limited

  bool operator==(const LaunchStatistics&) const = default;
};

/// Nothing when the launch has no values on one side, or a value that is not a positive finite number: a
/// failed launch. Throws Error when a paired launch does not have the same number of values in all three
/// lists.
[[nodiscard]] std::optional<LaunchStatistics> launch_statistics(const runners::Launch& launch);

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
