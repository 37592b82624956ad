#include "evaluation/evidence/rivals/tools.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::rival {
namespace {

/// In how many ways so many can be taken of so many; 0 where there are not enough.
double choices(std::size_t of, std::size_t taken) {
  if (taken > of) return 0;
  double ways = 1;
  for (std::size_t i = 0; i < taken; ++i)
    ways = ways * static_cast<double>(of - i) / static_cast<double>(i + 1);
  return ways;
}

/// How often a left value is above a right one, counted double so that a tie counts one.
std::size_t doubled_u(std::span<const double> left, std::span<const double> right) {
  std::size_t u = 0;
  for (const double l : left) {
    for (const double r : right) u += l > r ? 2 : l == r ? 1 : 0;
  }
  return u;
}

/// How many values there are of each size, from the smallest on.
std::vector<std::size_t> groups_of(std::span<const double> left, std::span<const double> right) {
  std::vector<double> sorted(left.begin(), left.end());
  sorted.insert(sorted.end(), right.begin(), right.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> groups;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    groups.push_back(static_cast<std::size_t>(end - at));
    at = end;
  }
  return groups;
}

/// ways[u]: in how many ways the groups can be dealt out so that the doubled U is u. Group by group, for
/// every number of left values so far: those of this group are above all right ones dealt out before.
std::vector<double> ways_of(const std::vector<std::size_t>& groups, std::size_t left, std::size_t right) {
  const std::size_t top = 2 * left * right + 1;
  std::vector<std::vector<double>> ways(left + 1, std::vector<double>(top, 0.0));
  ways[0][0] = 1;
  std::size_t seen = 0;
  for (const std::size_t group : groups) {
    std::vector<std::vector<double>> next(left + 1, std::vector<double>(top, 0.0));
    for (std::size_t before = 0; before <= std::min(left, seen); ++before) {
      const std::size_t right_before = seen - before;
      if (right_before > right) continue;
      for (std::size_t taken = 0; taken <= std::min(group, left - before); ++taken) {
        if (right_before + group - taken > right) continue;
        const std::size_t gain = taken * (2 * right_before + group - taken);
        const double choice = choices(group, taken);
        for (std::size_t u = 0; u + gain < top; ++u)
          next[before + taken][u + gain] += choice * ways[before][u];
      }
    }
    ways = std::move(next);
    seen += group;
  }
  return ways[left];
}

constexpr double usual_alpha = 0.05;
constexpr std::size_t benchstat_exact = 50;
constexpr double asv_alpha = 0.002;
constexpr double asv_factor = 1.1;

double difference_of_medians(const Values& values) {
  return *analysis::median(values.treatment) - *analysis::median(values.control);
}

constexpr double level = 0.99;
constexpr std::size_t most_values = 500;  // beyond, the number of ways leaves the range of a double

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double exact_rank_sum_p(std::span<const double> left, std::span<const double> right) {
  if (left.empty() || right.empty()) return 1;
  const std::size_t u = doubled_u(left, right);
  const std::vector<double> ways = ways_of(groups_of(left, right), left.size(), right.size());
  double all = 0;
  double below = 0;
  double above = 0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    all += ways[i];
    if (i <= u) below += ways[i];
    if (i >= u) above += ways[i];
  }
  return std::min(1.0, 2 * std::min(below, above) / all);
}

double approximate_rank_sum_p(std::span<const double> left, std::span<const double> right) {
  if (left.empty() || right.empty()) return 1;
  double ties = 0;  // sum of t³ − t over groups of t equal values
  for (const std::size_t group : groups_of(left, right)) {
    const auto t = static_cast<double>(group);
    ties += t * t * t - t;
  }
  const double product = static_cast<double>(left.size()) * static_cast<double>(right.size());
  const auto all = static_cast<double>(left.size() + right.size());
  const double variance = product / 12 * (all + 1 - ties / (all * (all - 1)));
  if (!(variance > 0)) return 1;
  const double u = static_cast<double>(doubled_u(left, right)) / 2;
  const double distance = std::max(0.0, std::abs(u - product / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

Call google_benchmark(const Values& values) {
  if (approximate_rank_sum_p(values.control, values.treatment) >= usual_alpha) return Call::none;
  return call_of(difference_of_medians(values));
}

Call benchstat(const Values& values) {
  const bool few = values.control.size() <= benchstat_exact && values.treatment.size() <= benchstat_exact;
  const auto p = few ? exact_rank_sum_p : approximate_rank_sum_p;
  if (p(values.control, values.treatment) >= usual_alpha) return Call::none;
  return call_of(difference_of_medians(values));
}

Call asv(const Values& values) {
  const double control = analysis::median(values.control).value_or(0);
  const double treatment = analysis::median(values.treatment).value_or(0);
  const bool far = treatment > control * asv_factor || control > treatment * asv_factor;
  if (!far || exact_rank_sum_p(values.control, values.treatment) >= asv_alpha) return Call::none;
  return call_of(treatment - control);
}

Call tango(const LaunchRow& launch) {
  constexpr double decisive = 2.6;
  constexpr double worth_knowing = 0.01;
  if (launch.differences < 2) return Call::none;
  const double error = launch.difference_deviation / std::sqrt(static_cast<double>(launch.differences));
  const bool real = std::abs(launch.difference_mean) >= decisive * error;
  const bool large = std::abs(launch.difference_mean) > worth_knowing * launch.control.mean;
  return real && large ? call_of(launch.difference_mean) : Call::none;
}

RelativeSpeed relative_speed(const Values& values) {
  const Moments control = moments_of(values.control);
  const Moments treatment = moments_of(values.treatment);
  const double ratio = std::max(control.mean, treatment.mean) / std::min(control.mean, treatment.mean);
  return {ratio, ratio * std::hypot(control.deviation / control.mean, treatment.deviation / treatment.mean)};
}

Call hyperfine(const Values& values) {
  const RelativeSpeed speed = relative_speed(values);
  if (speed.ratio - speed.deviation <= 1) return Call::none;
  return call_of(moments_of(values.treatment).mean - moments_of(values.control).mean);
}

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

double threshold_of_medians(const Values& values) {
  const std::size_t count = values.control.size();
  if (count == 0 || count != values.treatment.size() || count > most_values) {
    throw Error("ClickHouse's rule needs equally many runs of both sides");
  }
  std::vector<double> sorted = values.control;
  sorted.insert(sorted.end(), values.treatment.begin(), values.treatment.end());
  std::sort(sorted.begin(), sorted.end());
  // The medians of the two sides stand at places i < j of the sorted values in so many ways: of the i values
  // below i, `middle` belong to the one side; of all below j, `middle` to the other.
  const std::size_t middle = count / 2;
  std::vector<std::pair<double, double>> differences;  // and in how many ways
  double all = 0;
  for (std::size_t i = middle; i <= 2 * middle; ++i) {
    for (std::size_t j = std::max(i + 1, 2 * middle + 1); j < 2 * count; ++j) {
      const double ways = choices(i, middle) * choices(j - i - 1, 2 * middle - i) *
                          choices(2 * count - j - 1, count - middle - 1);
      if (ways > 0) differences.emplace_back(sorted[j] - sorted[i], ways);
      all += ways;
    }
  }
  std::sort(differences.begin(), differences.end());
  double passed = 0;
  for (const auto& [difference, ways] : differences) {
    passed += ways;
    if (passed > level * all) return difference;
  }
  return differences.back().first;
}

Call clickhouse(const Values& values, const ClickHouseFloors& floors) {
  const double control = upper_median(values.control);
  const double difference = upper_median(values.treatment) - control;
  const double threshold = threshold_of_medians(values);
  if (std::abs(difference) > floors.changed * control && std::abs(difference) >= threshold) {
    return call_of(difference);
  }
  return threshold > floors.unstable * control ? Call::unstable : Call::none;
}

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
