#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "evaluation/evidence/rivals/clickhouse.hpp"
#include "evaluation/evidence/rivals/duet_paper.hpp"
#include "evaluation/evidence/rivals/fai_pep.hpp"
#include "evaluation/evidence/rivals/hyperfine.hpp"
#include "evaluation/evidence/rivals/rank_sum.hpp"
#include "evaluation/evidence/rivals/rank_sum_rules.hpp"
#include "evaluation/evidence/rivals/tango.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::rival {
namespace {

using Sample = std::vector<double>;

/// Near normal: the sum of twelve uniform numbers (variance 1).
double noise(tandem::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

/// 100, 101, ...: so many values.
Sample rising(double from, std::size_t count = 10) {
  Sample values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

Values noisy(tandem::Random& random, double deviation, double factor, std::size_t count = 10) {
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    values.control.push_back(100 * (1 + deviation * noise(random)));
    values.treatment.push_back(100 * factor * (1 + deviation * noise(random)));
  }
  return values;
}

/// A launch with that log-ratio.
LaunchRow launch(double log_ratio) {
  LaunchRow row;
  row.log_mean = log_ratio;
  row.control.mean = 100;
  row.treatment.mean = 100;
  return row;
}

TEST(RankSum, CountsAllWaysToDealOut) {
  EXPECT_NEAR(exact_rank_sum_p(Sample{1, 2, 3}, Sample{4, 5, 6}), 0.1, 1e-12);
  EXPECT_NEAR(exact_rank_sum_p(rising(1, 5), rising(6, 5)), 2.0 / 252, 1e-12);  // 0.00794
  EXPECT_NEAR(exact_rank_sum_p(rising(6, 5), rising(1, 5)), 2.0 / 252, 1e-12);
  EXPECT_NEAR(exact_rank_sum_p(rising(1), rising(11)), 2.0 / 184756, 1e-15);
  EXPECT_NEAR(exact_rank_sum_p(Sample{1, 4}, Sample{2, 3}), 1, 1e-12);
  EXPECT_EQ(exact_rank_sum_p(Sample{}, Sample{1}), 1);
}

TEST(RankSum, CountsTiesAsHalf) {
  // Dealing out 1, 2, 2, 3: U is 0.5 or 3.5 in two of six ways each, 2 in the other two.
  EXPECT_NEAR(exact_rank_sum_p(Sample{1, 2}, Sample{2, 3}), 4.0 / 6, 1e-12);
  EXPECT_EQ(exact_rank_sum_p(Sample{7, 7, 7}, Sample{7, 7}), 1);
  EXPECT_EQ(approximate_rank_sum_p(Sample{7, 7, 7}, Sample{7, 7}), 1);
}

TEST(RankSum, IsApproximatedAsScipyDoes) {
  // z = (12.5 - 0.5) / sqrt(25 * 11 / 12)
  EXPECT_NEAR(approximate_rank_sum_p(rising(1, 5), rising(6, 5)), 0.012186, 1e-6);
  EXPECT_EQ(approximate_rank_sum_p(Sample{1, 4}, Sample{2, 3}), 1);
}

TEST(RankSumRules, CallWhatIsApartEnough) {
  EXPECT_EQ(benchstat({rising(100), rising(110)}), Call::slower);
  EXPECT_EQ(benchstat({rising(100), rising(101)}), Call::none);
  EXPECT_EQ(google_benchmark({rising(110), rising(100)}), Call::faster);
  // Three of each side cannot reach 0.05, however far they are apart.
  EXPECT_EQ(benchstat({rising(1, 3), rising(1000, 3)}), Call::none);
}

TEST(RankSumRules, AsvWantsTenPerCentToo) {
  EXPECT_EQ(asv({rising(100), rising(120)}), Call::slower);
  EXPECT_EQ(asv({rising(1000), rising(1020)}), Call::none);
  EXPECT_EQ(asv({rising(120), rising(100)}), Call::faster);
  EXPECT_EQ(asv({rising(100, 4), rising(200, 4)}), Call::none);  // p is 2/70 at least
}

TEST(Tango, WantsBothCertaintyAndSize) {
  LaunchRow row = launch(0);
  row.differences = 64;
  row.difference_deviation = 6;  // standard error 0.75
  row.difference_mean = 2;       // z = 2.67, 2 %
  EXPECT_EQ(tango(row), Call::slower);
  EXPECT_EQ(tango(exchanged(row)), Call::faster);
  row.difference_mean = 1.9;  // z = 2.53
  EXPECT_EQ(tango(row), Call::none);
  row.difference_mean = 2;
  row.control.mean = 250;  // 0.8 %
  EXPECT_EQ(tango(row), Call::none);
}

TEST(DuetPaper, BootstrapsTheMean) {
  tandem::Random random(1);
  // Means of two draws from {0, 1}: 0, 0.5 and 1, once, twice and once in four.
  const Interval wide = bootstrap_of_mean(Sample{0, 1}, 0.99, 2000, random);
  EXPECT_EQ(wide.low, 0);
  EXPECT_EQ(wide.high, 1);
  const Interval narrow = bootstrap_of_mean(Sample{0, 1}, 0.3, 2000, random);
  EXPECT_EQ(narrow.low, 0.5);
  EXPECT_EQ(narrow.high, 0.5);
  EXPECT_THROW((void)bootstrap_of_mean(Sample{}, 0.99, 10, random), Error);
}

TEST(DuetPaper, CallsWhatDoesNotStraddleOne) {
  std::vector<LaunchRow> runs;
  std::vector<LaunchRow> turned;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(launch(0.01 + 0.002 * i));
    turned.push_back(exchanged(runs.back()));
  }
  tandem::Random random(5);
  EXPECT_EQ(duet_paper(runs, 1000, random), Call::slower);
  EXPECT_EQ(duet_paper(turned, 1000, random), Call::faster);
  for (int i = 0; i < 5; ++i) runs[2 * i] = turned[2 * i];
  EXPECT_EQ(duet_paper(runs, 1000, random), Call::none);
}

/// eqmed.sql with every relabelling once: the value at 0.99 of the way through them.
double threshold_by_enumeration(const Values& values) {
  Sample pooled = values.control;
  pooled.insert(pooled.end(), values.treatment.begin(), values.treatment.end());
  const std::size_t count = values.control.size();
  Sample differences;
  for (unsigned pattern = 0; pattern < 1U << pooled.size(); ++pattern) {
    Sample one;
    Sample other;
    for (std::size_t i = 0; i < pooled.size(); ++i)
      ((pattern >> i & 1U) != 0 ? one : other).push_back(pooled[i]);
    if (one.size() != count) continue;
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    differences.push_back(std::abs(one[count / 2] - other[count / 2]));
  }
  std::sort(differences.begin(), differences.end());
  return differences[static_cast<std::size_t>(0.99 * static_cast<double>(differences.size()))];
}

TEST(ClickHouse, HasTheThresholdOfAllRelabellings) {
  EXPECT_EQ(threshold_of_medians({{1}, {2}}), 1);
  EXPECT_EQ(threshold_of_medians({{1, 2}, {3, 5}}), 3);  // 3, 2 and 2, each in two ways
  tandem::Random random(11);
  for (const std::size_t count : {2, 3, 4, 5, 6}) {
    const Values values = noisy(random, 0.1, 1.05, count);
    EXPECT_EQ(threshold_of_medians(values), threshold_by_enumeration(values)) << count;
  }
  EXPECT_THROW((void)threshold_of_medians({{1, 2}, {3}}), Error);
}

TEST(ClickHouse, CallsWhatIsOverFloorAndThreshold) {
  EXPECT_EQ(clickhouse({rising(1000), rising(1100)}, clickhouse_first), Call::slower);
  EXPECT_EQ(clickhouse({rising(1100), rising(1000)}, clickhouse_first), Call::faster);
  EXPECT_EQ(clickhouse({rising(1000), rising(1100)}, clickhouse_newest), Call::none);
  EXPECT_EQ(clickhouse({rising(1000), rising(1030)}, clickhouse_first), Call::none);
  EXPECT_EQ(clickhouse({rising(10), rising(11)}, clickhouse_first), Call::unstable);
}

TEST(FaiPep, ComparesP50WithTheHighestP90) {
  std::vector<Percentiles> earlier;
  for (int i = 0; i < 10; ++i) earlier.push_back({90, 100.0 + i});  // bound: 109 + 9 / 10
  EXPECT_EQ(fai_pep(earlier, std::vector<Percentiles>{{110, 0}, {111, 0}}), Call::slower);
  EXPECT_EQ(fai_pep(earlier, std::vector<Percentiles>{{110, 0}, {109.8, 0}}), Call::none);
  EXPECT_EQ(fai_pep(earlier, std::vector<Percentiles>{{10, 0}, {10, 0}}), Call::none)
      << "it never says faster";
  EXPECT_EQ(fai_pep(std::span(earlier).first(4), std::vector<Percentiles>{{110, 0}, {111, 0}}), Call::none);
  for (int i = 0; i < 10; ++i) earlier.push_back({90, 200});
  earlier[19].p90 = 1000;  // of twenty the eighteenth: 200, and a tenth of 900
  EXPECT_EQ(fai_pep(earlier, std::vector<Percentiles>{{291, 0}, {291, 0}}), Call::slower);
  EXPECT_EQ(fai_pep(earlier, std::vector<Percentiles>{{289, 0}, {291, 0}}), Call::none);
}

TEST(FaiPep, ReflectsThePercentilesOfADifference) {
  LaunchRow row;
  row.control = {100, 100, 90, 115};
  row.treatment = {103, 103, 95, 120};
  EXPECT_EQ(difference_of(row).p50, 3);
  EXPECT_EQ(difference_of(row).p90, 30);
}

TEST(Hyperfine, PropagatesTheDeviations) {
  const RelativeSpeed speed = relative_speed({{10, 12}, {20, 24}});
  EXPECT_NEAR(speed.ratio, 2, 1e-12);
  EXPECT_NEAR(speed.deviation, 2 * std::sqrt(2.0 / 121 + 8.0 / 484), 1e-12);
  EXPECT_EQ(hyperfine({{10, 12}, {20, 24}}), Call::slower);
  EXPECT_EQ(hyperfine({{10, 12}, {11, 13}}), Call::none);
}

TEST(Rivals, SayTheOppositeOfExchangedSides) {
  tandem::Random random(21);
  std::size_t calls = 0;
  for (int round = 0; round < 60; ++round) {
    const Values values = noisy(random, 0.03, round % 3 == 0 ? 1.0 : round % 3 == 1 ? 1.3 : 1 / 1.3);
    const Values turned{values.treatment, values.control};
    for (const auto rule : {google_benchmark, benchstat, asv, hyperfine}) {
      ASSERT_EQ(rule(turned), opposite(rule(values)));
      if (rule(values) != Call::none) ++calls;
    }
    ASSERT_EQ(clickhouse(turned, clickhouse_newest), opposite(clickhouse(values, clickhouse_newest)));
  }
  EXPECT_GE(calls, 160U);
}

}  // namespace
}  // namespace tandem::evaluation::rival
