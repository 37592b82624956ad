#include "evaluation/evidence/recorded/sign_flip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "specs/foundation/error.hpp"
#include "specs/foundation/random.hpp"

// Flipping the signs of a set of values lowers the sum by twice their own sum. So a pattern reaches the
// observed sum exactly when the values it flips sum to 0 or less, and counting patterns is counting subsets.

namespace tandem::evaluation {
namespace {

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

/// For each run of eight values the sums of all their 256 subsets, so that a byte of random bits costs one
/// addition.
std::vector<std::array<double, 256>> sums_by_byte(std::span<const double> values) {
  std::vector<std::array<double, 256>> sums((values.size() + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& table = sums[i / 8];
    const std::size_t bit = std::size_t{1} << (i % 8);
    for (std::size_t subset = 0; subset < table.size(); ++subset) {
      if ((subset & bit) != 0) table[subset] += values[i];
    }
  }
  return sums;
}

std::uint64_t count_random_subsets_up_to(double limit, std::span<const double> values, std::uint64_t seed) {
  const auto sums = sums_by_byte(values);
  tandem::Random random(seed);
  std::uint64_t count = 0;
  for (std::uint64_t flip = 0; flip < random_sign_flips; ++flip) {
    double sum = 0.0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (i % 8 == 0) bits = random.next();
      sum += sums[i][bits & 0xffU];
      bits >>= 8U;
    }
    if (sum <= limit) ++count;
  }
  return count;
}

}  // namespace

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
