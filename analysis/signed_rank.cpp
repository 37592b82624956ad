#include "analysis/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

/// The probability of every sum that the ranks can have when each is added or not, with one half each: they
/// grow rank by rank.
std::vector<double> sum_probabilities(std::span<const std::size_t> ranks) {
  std::vector<double> probability(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}), 0.0);
  probability[0] = 1.0;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t sum = reached; sum >= rank; --sum) {
      probability[sum] = (probability[sum] + probability[sum - rank]) / 2;
    }
    for (std::size_t sum = 0; sum < rank; ++sum) probability[sum] /= 2;
  }
  return probability;
}

/// The largest k for which the sum of the positive ranks stays below k with probability at most `tail`.
std::size_t rejected_ranks(std::size_t count, double tail) {
  std::vector<std::size_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 1);
  const std::vector<double> probability = sum_probabilities(ranks);
  std::size_t rejected = 0;
  for (double cumulated = probability[0]; cumulated <= tail; cumulated += probability[rejected]) ++rejected;
  return rejected;
}

}  // namespace

double signed_rank_p_value(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  for (const double value : sorted) {
    if (!std::isfinite(value)) throw Error("a value for the signed-rank test is not a finite number");
  }
  std::sort(sorted.begin(), sorted.end(),
            [](double one, double other) { return std::abs(one) < std::abs(other); });
  // Twice the ranks: the mean of two ranks is then a whole number too.
  std::vector<std::size_t> ranks;
  std::size_t observed = 0;
  for (std::size_t first = 0, next = 0; first < sorted.size(); first = next) {
    while (next < sorted.size() && std::abs(sorted[next]) == std::abs(sorted[first])) ++next;
    if (sorted[first] == 0.0) continue;
    for (std::size_t i = first; i < next; ++i) {
      ranks.push_back(first + 1 + next);
      if (sorted[i] > 0.0) observed += ranks.back();
    }
  }
  const std::vector<double> probability = sum_probabilities(ranks);
  // From the far end on, where the terms are small.
  return std::min(1.0, std::accumulate(probability.rbegin(),
                                       probability.rend() - static_cast<std::ptrdiff_t>(observed), 0.0));
}

std::optional<std::pair<double, double>> signed_rank_interval(std::span<const double> values, double level) {
  if (values.empty()) return std::nullopt;
  const std::size_t rejected = rejected_ranks(values.size(), (1.0 - level) / 2);
  if (rejected == 0) return std::nullopt;
  std::vector<double> averages = walsh_averages(values);
  std::sort(averages.begin(), averages.end());
  return std::pair(averages[rejected - 1], averages[averages.size() - rejected]);
}

}  // namespace tandem::analysis
