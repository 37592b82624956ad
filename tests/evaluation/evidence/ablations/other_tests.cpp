#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <vector>

#include "evaluation/evidence/ablations/ablations.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {
namespace {

constexpr double level = 0.01;

/// Number, sum and sum of squares, from which mean and variance come.
struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void add(double number, double mean, double deviation) {
    count += number;
    sum += number * mean;
    squares += (number - 1) * deviation * deviation + number * mean * mean;
  }
};

/// The sums of all subsets, sorted: each value doubles the list, and two sorted lists merge.
std::vector<double> sorted_subset_sums(std::span<const double> values) {
  std::vector<double> sums{0.0};
  for (const double value : values) {
    std::vector<double> with = sums;
    for (double& sum : with) sum += value;
    std::vector<double> both;
    both.reserve(2 * sums.size());
    std::merge(sums.begin(), sums.end(), with.begin(), with.end(), std::back_inserter(both));
    sums = std::move(both);
  }
  return sums;
}

/// Counts the subsets of all values through the subsets of the two halves: 2^16 each for 32 values, not 2^32.
std::uint64_t count_subsets_up_to(double limit, std::span<const double> values) {
  const auto left = sorted_subset_sums(values.first(values.size() / 2));
  const auto right = sorted_subset_sums(values.subspan(values.size() / 2));
  std::uint64_t count = 0;
  std::size_t fitting = right.size();
  for (const double sum : left) {
    while (fitting > 0 && sum + right[fitting - 1] > limit) --fitting;
    count += fitting;
  }
  return count;
}

std::uint64_t count_random_subsets_up_to(double limit, std::span<const double> values, std::uint64_t seed) {
  tandem::Random random(seed);
  std::uint64_t count = 0;
  for (std::uint64_t flip = 0; flip < random_sign_flips; ++flip) {
    double sum = 0.0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < values.size(); ++i, bits >>= 1U) {
      if (i % 64 == 0) bits = random.next();
      sum += static_cast<double>(bits & 1U) * values[i];
    }
    if (sum <= limit) ++count;
  }
  return count;
}

}  // namespace

std::optional<analysis::Direction> pooled_test(std::span<const LaunchRow> launches, TestUnit unit) {
  Sums sums;
  for (const LaunchRow& row : launches) {
    if (unit == TestUnit::slices) {
      sums.add(static_cast<double>(row.pairs), row.log_mean, row.log_deviation);
    } else {
      sums.add(1, row.log_mean, 0);
    }
  }
  if (sums.count < 2) return std::nullopt;
  const double mean = sums.sum / sums.count;
  const double variance = (sums.squares - sums.sum * mean) / (sums.count - 1);
  const double t = mean / std::sqrt(variance / sums.count);
  if (std::isnan(t)) return std::nullopt;
  const boost::math::students_t student(sums.count - 1);
  if (2 * cdf(complement(student, std::abs(t))) > level) return std::nullopt;
  return mean > 0 ? analysis::Direction::slower : analysis::Direction::faster;
}

// Flipping the signs of a set of values lowers the sum by twice their own sum. So a pattern reaches the
// observed sum exactly when the values it flips sum to 0 or less, and counting patterns is counting subsets.
double sign_flip_p_value(std::span<const double> values, std::uint64_t seed) {
  double size = 0.0;
  for (const double value : values) {
    if (!std::isfinite(value)) throw Error("a value for the sign-flip test is not a finite number");
    size += std::abs(value);
  }
  // Sums that differ by rounding alone count as ties, that is, against the finding.
  const double limit = 1e-12 * size;
  if (values.size() <= largest_exact_sign_flip) {
    return std::ldexp(static_cast<double>(count_subsets_up_to(limit, values)),
                      -static_cast<int>(values.size()));
  }
  const auto hits = count_random_subsets_up_to(limit, values, seed);
  return static_cast<double>(1 + hits) / static_cast<double>(1 + random_sign_flips);
}

}  // namespace tandem::evaluation
