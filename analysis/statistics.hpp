#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tandem::analysis {

/// Robust summaries of a sample. An empty sample has none of them (nullopt). A NaN or an infinity in the
/// sample is a fault of the caller and throws Error: it must never turn into a plausible number.
///
/// The centres are exactly odd, the deviations exactly even: of the negated sample they are the negated or
/// the same number, bit for bit. The fairness of the coin per launch rests on that.

/// The midpoint of the two central values; the central value of an odd number of them.
[[nodiscard]] std::optional<double> median(std::span<const double> sample);

/// The median of the distances from the median.
[[nodiscard]] std::optional<double> median_absolute_deviation(std::span<const double> sample);

/// The median absolute deviation scaled to the standard deviation of a normal sample. 0 for a single value.
[[nodiscard]] std::optional<double> robust_deviation(std::span<const double> sample);

/// The median of all n(n+1)/2 averages of two values, each value also paired with itself (Hodges and Lehmann,
/// 1963). Quadratic in time and space: meant for up to a few hundred values.
[[nodiscard]] std::optional<double> hodges_lehmann(std::span<const double> sample);

/// All the averages that hodges_lehmann takes the median of, in no particular order.
[[nodiscard]] std::vector<double> walsh_averages(std::span<const double> sample);

/// The value at `share` (0 to 1) of the way through the sorted sample, interpolated linearly between its
/// neighbours.
[[nodiscard]] std::optional<double> quantile(std::span<const double> sample, double share);

/// Standard deviation of a normal sample over its median absolute deviation: 1 / Φ⁻¹(3/4).
inline constexpr double deviation_scale = 1.4826;

/// A growing sample that knows its median and its median absolute deviation after every value without sorting
/// anew.
class SortedSample {
 public:
  void insert(double value);
  [[nodiscard]] bool empty() const { return sorted_.empty(); }
  [[nodiscard]] std::size_t size() const { return sorted_.size(); }
  [[nodiscard]] const std::vector<double>& values() const { return sorted_; }
  [[nodiscard]] std::optional<double> median() const;
  [[nodiscard]] std::optional<double> median_absolute_deviation() const;

 private:
  std::vector<double> sorted_;
};

/// The probability that Student's t with so many degrees of freedom is at least as far from 0 as `t`. Small
/// tails keep their relative accuracy. Throws Error when t is not a number or the degrees are not positive.
[[nodiscard]] double two_sided_p_value(double t, double degrees_of_freedom);

/// How far from 0 that variable is with a probability of 5 % at most. The degrees are positive.
[[nodiscard]] double two_sided_95_percent(double degrees_of_freedom);

}  // namespace tandem::analysis
