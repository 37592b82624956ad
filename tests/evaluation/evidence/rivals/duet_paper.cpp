#include "evaluation/evidence/rivals/duet_paper.hpp"

#include <cmath>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::rival {

Interval bootstrap_of_mean(std::span<const double> values, double level, std::size_t replicates,
                           tandem::Random& random) {
  if (values.empty() || replicates == 0) throw Error("a bootstrap needs values and replicates");
  std::vector<double> means(replicates);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
    mean = sum / static_cast<double>(values.size());
  }
  return {*analysis::quantile(means, (1 - level) / 2), *analysis::quantile(means, (1 + level) / 2)};
}

Call duet_paper(std::span<const LaunchRow> runs, std::size_t replicates, tandem::Random& random) {
  constexpr double level = 0.99;
  std::vector<double> logs;
  for (const LaunchRow& run : runs) logs.push_back(run.log_mean);
  const Interval interval = bootstrap_of_mean(logs, level, replicates, random);
  if (interval.low > 0) return Call::slower;
  return interval.high < 0 ? Call::faster : Call::none;
}

}  // namespace tandem::evaluation::rival
