#include "analysis/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

/// Commits with levels, each the mean of four measurements of 0.3 %.
std::vector<double> measured(Noise& noise, const std::vector<double>& levels) {
  std::vector<double> values;
  for (const double level : levels) values.push_back(level + 0.003 / 2 * noise.normal());
  return values;
}

TEST(DriftRange, OfASingleStepIsOnePoint) {
  const auto range = drift_range(std::vector<double>{0, 0, 0, 0, 0, 1, 1, 1, 1}, 0, 9, 0.1);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 5U);
  EXPECT_EQ(range->last, 5U);
  EXPECT_DOUBLE_EQ(range->size, 1);
}

TEST(DriftRange, OfAnEvenFallIsTheWholeFall) {
  const auto range =
      drift_range(std::vector<double>{9, 9, 3, 3, 3, 3, 3, 2, 1, 0, 0, 0, 0, 0, 9, 9}, 2, 14, 0.1);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 7U);
  EXPECT_EQ(range->last, 9U);
  EXPECT_DOUBLE_EQ(range->size, -3);
}

TEST(DriftRange, IsNothingWhereTheChangeIsTooSmallOrThePointsAreTooFew) {
  EXPECT_FALSE(drift_range(std::vector<double>{0, 0, 0, 1, 1, 1}, 0, 6, 1.5));
  EXPECT_FALSE(drift_range(std::vector<double>{0, 0, 1}, 0, 3, 0.1));
  EXPECT_FALSE(drift_range(std::vector<double>(10, 2.5), 0, 10, 0));
  EXPECT_THROW((void)drift_range(std::vector<double>{0, 0, 1}, 0, 4, 0.1), Error);
  EXPECT_THROW((void)drift_range(std::vector<double>{0, 0, 1}, 2, 1, 0.1), Error);
  EXPECT_THROW((void)drift_range(std::vector<double>{0, 0, 1, std::nan("")}, 0, 4, 0.1), Error);
}

TEST(DriftRangeSimulation, OfTenSmallStepsHoldsMostOfThem) {
  Noise noise(801);
  std::vector<double> levels(40, 0.0);
  for (std::size_t i = 15; i < 40; ++i)
    levels[i] = 0.003 * static_cast<double>(std::min<std::size_t>(10, i - 14));
  int good = 0;
  std::vector<double> lengths;
  for (int round = 0; round < 300; ++round) {
    const auto range = drift_range(measured(noise, levels), 0, 40, 0.005);
    ASSERT_TRUE(range);
    lengths.push_back(static_cast<double>(range->last - range->first + 1));
    const double held = levels[range->last] - levels[range->first - 1];
    if (held >= 0.8 * 0.03 && range->first >= 14 && range->last <= 25) ++good;
    EXPECT_NEAR(range->size, 0.03, 0.004);
  }
  std::printf("ten steps: a range of %.0f commits (median), most of the move and little else in %d of 300\n",
              *median(lengths), good);
  EXPECT_GE(good, 280);
}

TEST(DriftRangeSimulation, OfOneStepIsMostlyThatPoint) {
  Noise noise(802);
  int exact = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t place = 5 + noise.below(30);
    std::vector<double> levels(40, 0.0);
    for (std::size_t i = place; i < 40; ++i) levels[i] = -0.01;
    const auto range = drift_range(measured(noise, levels), 0, 40, 0.005);
    ASSERT_TRUE(range);
    if (range->first == place && range->last == place) ++exact;
    EXPECT_LE(range->last - range->first, 3U);
  }
  std::printf("one step: exactly that commit in %d of 300\n", exact);
  EXPECT_GE(exact, 280);
}

TEST(DriftRangeSimulation, AnOutlierMovesItLittle) {
  Noise noise(803);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> levels(40, 0.0);
    for (std::size_t i = 20; i < 40; ++i) levels[i] = 0.01;
    auto values = measured(noise, levels);
    values[noise.below(17)] += 0.5;
    const auto range = drift_range(values, 0, 40, 0.005);
    ASSERT_TRUE(range);
    EXPECT_GE(range->first, 18U);
    EXPECT_LE(range->last, 22U);
  }
}

}  // namespace
}  // namespace tandem::analysis
