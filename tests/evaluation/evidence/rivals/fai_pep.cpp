#include "evaluation/evidence/rivals/fai_pep.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tandem::evaluation::rival {

Percentiles percentiles_of(const SideRow& side) {
  return {side.median, side.p90};
}

Percentiles difference_of(const LaunchRow& launch) {
  return {launch.treatment.median - launch.control.median, launch.treatment.p90 - launch.control.p10};
}

Call fai_pep(std::span<const Percentiles> earlier, std::span<const Percentiles> newest) {
  constexpr std::size_t fewest = 5;
  constexpr std::size_t both = 2;
  if (earlier.size() < fewest || newest.size() < both) return Call::none;
  std::vector<double> p90s;
  for (const Percentiles& commit : earlier) p90s.push_back(commit.p90);
  std::sort(p90s.begin(), p90s.end());
  const double bound = p90s[p90s.size() * 9 / 10] + (p90s.back() - p90s.front()) / 10;
  const bool over = std::all_of(newest.begin(), newest.end(),
                                [&](const Percentiles& commit) { return commit.p50 > bound; });
  return over ? Call::slower : Call::none;
}

}  // namespace tandem::evaluation::rival
