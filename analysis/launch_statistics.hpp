#pragma once

#include <optional>

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

}  // namespace tandem::analysis
