#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/rivals/board.hpp"
#include "evaluation/evidence/rivals/tools.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"

namespace tandem::evaluation::rival {
namespace {

using Numbers = std::vector<double>;

/// Near normal: the sum of twelve uniform numbers (variance 1).
double noise(tandem::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

/// 100, 101, ...: so many values.
Numbers rising(double from, std::size_t count = 10) {
  Numbers values(count);
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
  EXPECT_NEAR(exact_rank_sum_p(Numbers{1, 2, 3}, Numbers{4, 5, 6}), 0.1, 1e-12);
  EXPECT_NEAR(exact_rank_sum_p(rising(1, 5), rising(6, 5)), 2.0 / 252, 1e-12);  // 0.00794
  EXPECT_NEAR(exact_rank_sum_p(rising(6, 5), rising(1, 5)), 2.0 / 252, 1e-12);
  EXPECT_NEAR(exact_rank_sum_p(rising(1), rising(11)), 2.0 / 184756, 1e-15);
  EXPECT_NEAR(exact_rank_sum_p(Numbers{1, 4}, Numbers{2, 3}), 1, 1e-12);
  EXPECT_EQ(exact_rank_sum_p(Numbers{}, Numbers{1}), 1);
}

TEST(RankSum, CountsTiesAsHalf) {
  // Dealing out 1, 2, 2, 3: U is 0.5 or 3.5 in two of six ways each, 2 in the other two.
  EXPECT_NEAR(exact_rank_sum_p(Numbers{1, 2}, Numbers{2, 3}), 4.0 / 6, 1e-12);
  EXPECT_EQ(exact_rank_sum_p(Numbers{7, 7, 7}, Numbers{7, 7}), 1);
  EXPECT_EQ(approximate_rank_sum_p(Numbers{7, 7, 7}, Numbers{7, 7}), 1);
}

TEST(RankSum, IsApproximatedAsScipyDoes) {
  // z = (12.5 - 0.5) / sqrt(25 * 11 / 12)
  EXPECT_NEAR(approximate_rank_sum_p(rising(1, 5), rising(6, 5)), 0.012186, 1e-6);
  EXPECT_EQ(approximate_rank_sum_p(Numbers{1, 4}, Numbers{2, 3}), 1);
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
  const Interval wide = bootstrap_of_mean(Numbers{0, 1}, 0.99, 2000, random);
  EXPECT_EQ(wide.low, 0);
  EXPECT_EQ(wide.high, 1);
  const Interval narrow = bootstrap_of_mean(Numbers{0, 1}, 0.3, 2000, random);
  EXPECT_EQ(narrow.low, 0.5);
  EXPECT_EQ(narrow.high, 0.5);
  EXPECT_THROW((void)bootstrap_of_mean(Numbers{}, 0.99, 10, random), Error);
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
  Numbers pooled = values.control;
  pooled.insert(pooled.end(), values.treatment.begin(), values.treatment.end());
  const std::size_t count = values.control.size();
  Numbers differences;
  for (unsigned pattern = 0; pattern < 1U << pooled.size(); ++pattern) {
    Numbers one;
    Numbers other;
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

/// A launch of equal builds whose log-ratio is about that number.
LaunchRow row_saying(double log_ratio) {
  LaunchRow row;
  row.pairs = 60;
  row.differences = 60;
  row.statistics = {log_ratio, log_ratio};
  row.log_mean = log_ratio;
  row.log_deviation = 0.01;
  row.control = {100, 100, 99, 101};
  const double times = 100 * std::exp(log_ratio);
  row.treatment = {times, times, times * 0.99, times * 1.01};
  row.difference_mean = times - 100;
  row.difference_deviation = 1;
  return row;
}

Material quiet_material(std::size_t count = 70) {
  Material material;
  material.name = "quiet";
  tandem::Random random(3);
  for (std::size_t i = 0; i < count; ++i) material.launches.push_back(row_saying(0.001 * noise(random)));
  material.settings.prior_sigma = 0.001;
  return material;
}

TEST(Draw, GivesEveryRuleTheSameLaunches) {
  const Material material = quiet_material();
  const Draw one(material, 2, 77);
  const Draw other(material, 2, 77);
  EXPECT_EQ(one.pairs(10), other.pairs(10));
  const auto longer = other.pairs(30);
  EXPECT_TRUE(std::equal(longer.begin(), longer.begin() + 10, one.pairs(10).begin()));
  EXPECT_NE(one.pairs(10), Draw(material, 2, 78).pairs(10));
  Draw moved = one;
  moved.move_on();
  EXPECT_NE(one.pairs(10), moved.pairs(10));
}

TEST(Draw, PlantsWorkInTheTreatmentOrTheControl) {
  const Material material = quiet_material();
  const LaunchRow equal = Draw(material, 0, 5).pair(0);
  EXPECT_NEAR(Draw(material, 5, 5).pair(0).statistics.median - equal.statistics.median, std::log(1.05),
              1e-12);
  EXPECT_NEAR(Draw(material, -5, 5).pair(0).statistics.median - equal.statistics.median, -std::log(1.05),
              1e-12);
  Material real = material;
  real.percent = 5;
  EXPECT_THROW(Draw(real, 5, 5), Error);
  EXPECT_FALSE(Draw(real, 0, 5).before(10)) << "there are no equal builds of it";
}

TEST(Draw, TakesOneSideOfEqualBuildsOneAfterTheOther) {
  Material material = quiet_material();
  for (LaunchRow& row : material.launches)
    row.treatment = {500, 500, 490, 510};  // another place, much slower
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const SeparateSides sides = Draw(material, 0, seed).one_after_the_other(10);
    ASSERT_EQ(sides.control.size(), 10U);
    ASSERT_EQ(sides.treatment.size(), 10U);
    EXPECT_EQ(sides.control[0].control.median, sides.treatment[0].treatment.median);
  }
}

TEST(Board, FindsWhatIsPlantedWhereThereIsNoNoise) {
  const std::vector<Material> materials = {quiet_material()};
  const std::vector<Rule> all = rules(200);
  const Board board = decide(materials, Planting::multiplied, all, {10, 4}, 1, [](auto&&...) {});
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    const Score equal = score_of(board, rule, Collection::side_by_side, 0);
    EXPECT_EQ(equal.decisions, 10U) << all[rule].name;
    const Score planted = score_of(board, rule, Collection::side_by_side, 5);
    EXPECT_EQ(planted.wrong, 0U) << all[rule].name;
    const bool slower_only = all[rule].sees == Rule::Sees::slower_only;
    EXPECT_EQ(planted.decisions, slower_only ? 2U : 4U) << all[rule].name;
    if (all[rule].whose == Rule::Whose::rival && all[rule].name != "Tango") continue;
    EXPECT_EQ(planted.right, 4U) << all[rule].name;
    EXPECT_EQ(equal.wrong, 0U) << all[rule].name;
  }
}

TEST(Board, TakesRealWorkWhereThereIsSome) {
  std::vector<Material> materials = {quiet_material(), quiet_material()};
  materials[1].percent = -1.9;
  for (LaunchRow& row : materials[1].launches) row = slowed(row, 1 / 1.019);
  const std::vector<Rule> all = rules(200);
  const Board board = decide(materials, Planting::real, all, {4, 4}, 1, [](auto&&...) {});
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    EXPECT_EQ(score_of(board, rule, Collection::side_by_side, 5).decisions, 0U) << "nothing is multiplied";
    if (all[rule].name != tandem_screen) continue;
    EXPECT_EQ(score_of(board, rule, Collection::side_by_side, 3).right, 4U) << "as 2 %";
  }
}

TEST(Comparison, NamesTheRivalsThatDoBetter) {
  const std::vector<Rule> all = rules(200);
  Board board;
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    board[{rule, Collection::side_by_side, 0}] = {1000, 0, 1, 0, 20000};
    board[{rule, Collection::side_by_side, 3}] = {1000, 500, 0, 0, 20000};
  }
  board[{0, Collection::side_by_side, 0}].wrong = 100;  // Google Benchmark: noisier, and it finds more
  board[{0, Collection::side_by_side, 3}].right = 600;
  board[{1, Collection::side_by_side, 0}].launches = 1000;  // benchstat: cheaper
  std::string notes;
  for (const std::string& note : comparison("recorded", all, board)) notes += note + "\n";
  EXPECT_NE(notes.find("surely more than 1.0 % false alarms: Google Benchmark."), std::string::npos) << notes;
  EXPECT_NE(notes.find("rivals that take fewer: benchstat (1.0)."), std::string::npos) << notes;
  EXPECT_NE(notes.find("rivals that find more: Google Benchmark (60.0 %, at 10.0 % false alarms);"),
            std::string::npos)
      << notes;
}

TEST(RivalsPart, JudgesRecordedAndLiveLaunches) {
  const std::filesystem::path out = std::filesystem::path(testing::TempDir()) / "rivals_part";
  std::filesystem::create_directories(out / "launches");
  std::ofstream live(out / "launches/live.tsv");
  std::ofstream power(out / "launches/power.tsv");
  for (const LaunchRow& row : quiet_material().launches) {
    live << line_of(Sample{{"sort", "alternate", "same", 0}, 1, row}) << '\n';
    power << line_of(Sample{{"sort", "alternate", "same", 3}, 1, slowed(row, 1.03)}) << '\n';
  }
  live.close();
  power.close();
  PartSettings settings;
  settings.out = out;
  settings.source = tests::paths::source;
  settings.length = PartSettings::Length::brief;
  const PartResult result = evaluation::rivals(settings);
  EXPECT_EQ(result.tables.size(), 6U);
  EXPECT_EQ(result.plots.size(), 6U);
  ASSERT_EQ(result.goals.size(), 2U);
  EXPECT_EQ(result.figures.at("live.Tandem, screen.side by side.3.right"),
            result.figures.at("live.Tandem, screen.side by side.3.decisions"));
  EXPECT_EQ(result.figures.at("live.Tandem, screen.side by side.0.wrong"), 0);
  EXPECT_EQ(result.figures, evaluation::rivals(settings).figures) << "the same seed gives the same figures";
  std::filesystem::remove_all(out);
}

}  // namespace

}  // namespace tandem::evaluation::rival
