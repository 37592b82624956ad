#include "evaluation/pairing_rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tandem::evaluation {
namespace {

/// ways[u]: in how many orders of `left` and `right` values the left ones are above the right ones u times.
/// The largest value is a left one, above all right ones, or a right one, which adds nothing.
std::vector<double> ways_of(std::size_t left, std::size_t right) {
  std::vector<std::vector<double>> shorter(right + 1, {1.0});  // with no left value: one way, u = 0
  for (std::size_t l = 1; l <= left; ++l) {
    std::vector<std::vector<double>> ways(right + 1);
    ways[0] = {1.0};
    for (std::size_t r = 1; r <= right; ++r) {
      ways[r].assign(l * r + 1, 0.0);
      for (std::size_t u = 0; u < shorter[r].size(); ++u) ways[r][u + r] += shorter[r][u];
      for (std::size_t u = 0; u < ways[r - 1].size(); ++u) ways[r][u] += ways[r - 1][u];
    }
    shorter = std::move(ways);
  }
  return shorter[right];
}

double exact_p(double u, std::size_t left, std::size_t right) {
  const std::vector<double> ways = ways_of(left, right);
  const double farther = std::max(u, static_cast<double>(left * right) - u);
  double all = 0;
  double as_far = 0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    all += ways[i];
    if (static_cast<double>(i) >= farther) as_far += ways[i];
  }
  return std::min(1.0, 2 * as_far / all);
}

double approximate_p(double u, double left, double right, double ties) {
  const double n = left + right;
  const double variance = left * right / 12 * (n + 1 - ties / (n * (n - 1)));
  if (!(variance > 0)) return 1;
  const double distance = std::max(0.0, std::abs(u - left * right / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace

double rank_sum_p(std::span<const double> left, std::span<const double> right) {
  if (left.empty() || right.empty()) return 1;
  double u = 0;
  for (const double l : left) {
    for (const double r : right) u += l > r ? 1.0 : l == r ? 0.5 : 0.0;
  }
  std::vector<double> sorted(left.begin(), left.end());
  sorted.insert(sorted.end(), right.begin(), right.end());
  std::sort(sorted.begin(), sorted.end());
  double ties = 0;  // sum of t³ − t over groups of t equal values
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    const auto t = static_cast<double>(end - at);
    ties += t * t * t - t;
    at = end;
  }
  return ties == 0
             ? exact_p(u, left.size(), right.size())
             : approximate_p(u, static_cast<double>(left.size()), static_cast<double>(right.size()), ties);
}

}  // namespace tandem::evaluation
