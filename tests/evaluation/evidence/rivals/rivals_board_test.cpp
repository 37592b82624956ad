#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/sample_file.hpp"
#include "evaluation/evidence/rivals/board.hpp"
#include "evaluation/evidence/rivals/comparison.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"

namespace tandem::evaluation::rival {
namespace {

/// Near normal: the sum of twelve uniform numbers (variance 1).
double noise(tandem::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

/// A launch of equal builds whose log-ratio is about that number.
LaunchRow launch(double log_ratio) {
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
  for (std::size_t i = 0; i < count; ++i) material.launches.push_back(launch(0.001 * noise(random)));
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
    const Apart apart = Draw(material, 0, seed).apart(10);
    ASSERT_EQ(apart.control.size(), 10U);
    ASSERT_EQ(apart.treatment.size(), 10U);
    EXPECT_EQ(apart.control[0].control.median, apart.treatment[0].treatment.median);
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
