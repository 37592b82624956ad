#include "analysis/signed_rank.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analysis/statistics.hpp"

namespace tandem::analysis {
namespace {

/// The largest k for which the sum of the positive ranks stays below k with probability at most `tail`. The
/// probabilities of all sums grow rank by rank: each rank is added or not, with one half each.
std::size_t rejected_ranks(std::size_t count, double tail) {
  std::vector<double> probability(count * (count + 1) / 2 + 1, 0.0);
  probability[0] = 1.0;
  std::size_t reached = 0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    reached += rank;
    for (std::size_t sum = reached + 1; sum-- > 0;) {
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0.0)) / 2;
    }
  }
  std::size_t rejected = 0;
  for (double cumulated = probability[0]; cumulated <= tail; cumulated += probability[rejected]) ++rejected;
  return rejected;
}

}  // namespace

std::optional<std::pair<double, double>> signed_rank_interval(std::span<const double> values, double level) {
  if (values.empty()) return std::nullopt;
  const std::size_t rejected = rejected_ranks(values.size(), (1.0 - level) / 2);
  if (rejected == 0) return std::nullopt;
  std::vector<double> averages = walsh_averages(values);
  std::sort(averages.begin(), averages.end());
  return std::pair(averages[rejected - 1], averages[averages.size() - rejected]);
}

}  // namespace tandem::analysis
