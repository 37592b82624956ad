#include "analysis/launch_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

using runners::Launch;
using runners::Side;

Launch exchanged(const Launch& launch) {
  Launch other = launch;
  std::swap(other.control, other.treatment);
  for (Side& side : other.first) side = runners::other(side);
  return other;
}

Launch paired(std::size_t pairs) {
  Launch launch;
  launch.control.assign(pairs, 1.0);
  launch.treatment.assign(pairs, 1.0);
  for (std::size_t i = 0; i < pairs; ++i)
    launch.first.push_back(i % 2 == 0 ? Side::control : Side::treatment);
  return launch;
}

/// Slices with 1 % noise; one in `period` holds an event of the program, in the same slice on both sides.
Launch with_events(Noise& noise, std::size_t period, double control_cost, double treatment_cost) {
  Launch launch = paired(60);
  const std::size_t phase = noise.below(period);
  for (std::size_t i = 0; i < 60; ++i) {
    const bool event = i % period == phase;
    launch.control[i] = std::exp(0.01 * noise.normal()) * (event ? control_cost : 1);
    launch.treatment[i] = std::exp(0.01 * noise.normal()) * (event ? treatment_cost : 1);
  }
  return launch;
}

TEST(LaunchStatistics, GivesTheLogarithmOfAUniformRatio) {
  Launch launch = paired(10);
  launch.treatment.assign(10, 1.02);
  const auto statistics = launch_statistics(launch);
  EXPECT_NEAR(statistics->median, std::log(1.02), 1e-15);
  EXPECT_NEAR(statistics->total, std::log(1.02), 1e-15);
}

TEST(LaunchStatistics, AveragesTheTwoOrdersEvenWhenOneOccursMoreOften) {
  Launch launch;
  launch.control = {1, 1, 1, 1};
  launch.treatment = {1.1, 1.1, 1.1, 1.3};
  launch.first = {Side::control, Side::control, Side::control, Side::treatment};
  EXPECT_NEAR(launch_statistics(launch)->median, (std::log(1.1) + std::log(1.3)) / 2, 1e-15);
}

TEST(LaunchStatistics, CancelsTheAdvantageOfRunningSecond) {
  Launch launch = paired(20);
  for (std::size_t i = 0; i < 20; ++i)
    (launch.first[i] == Side::control ? launch.control : launch.treatment)[i] = 1.4;
  EXPECT_NEAR(launch_statistics(launch)->median, 0, 1e-15);
  EXPECT_NEAR(launch_statistics(launch)->total, 0, 1e-15);
}

TEST(LaunchStatistics, UsesTheOnlyOrderThereIs) {
  Launch launch;
  launch.control = {2, 2, 2};
  launch.treatment = {2, 4, 3};
  launch.first.assign(3, Side::treatment);
  EXPECT_NEAR(launch_statistics(launch)->median, std::log(1.5), 1e-15);
}

TEST(LaunchStatistics, ChangesOnlyItsSignWhenTheSidesAreExchanged) {
  Noise noise(11);
  for (int round = 0; round < 500; ++round) {
    Launch launch;
    const std::size_t pairs = 1 + noise.below(80);
    for (std::size_t i = 0; i < pairs; ++i) {
      launch.control.push_back(1e6 * std::exp(0.3 * noise.heavy()));
      launch.treatment.push_back(1e6 * std::exp(0.3 * noise.heavy()));
      if (round % 2 == 0) launch.first.push_back(noise.coin() > 0 ? Side::control : Side::treatment);
    }
    const auto straight = launch_statistics(launch);
    const auto swapped = launch_statistics(exchanged(launch));
    ASSERT_EQ(straight->median, -swapped->median);
    ASSERT_EQ(straight->total, -swapped->total);
  }
}

TEST(LaunchStatistics, TotalCountsRareEventsWhereTheMedianIsBlind) {
  for (const std::size_t period : {20U, 30U, 50U}) {
    Noise noise(12);
    double median = 0, total = 0;
    for (int i = 0; i < 200; ++i) {
      const auto statistics = launch_statistics(with_events(noise, period, 1, 1.5));
      median += statistics->median / 200;
      total += statistics->total / 200;
    }
    const double expected = std::log1p(0.5 / static_cast<double>(period));
    EXPECT_NEAR(median, 0, 0.002) << "period " << period;
    EXPECT_NEAR(total, expected, 0.15 * expected + 0.001) << "period " << period;
  }
}

TEST(LaunchStatistics, TotalCountsHalfOfASliceThatDoubles) {
  for (const std::size_t period : {30U, 50U}) {
    Noise noise(12);
    double total = 0;
    for (int i = 0; i < 200; ++i) total += launch_statistics(with_events(noise, period, 1, 2))->total / 200;
    const double expected = std::log1p(0.5 / static_cast<double>(period));
    EXPECT_NEAR(total, expected, 0.2 * expected + 0.001) << "period " << period;
  }
}

TEST(LaunchStatistics, TotalSeesExpensiveEventsThatDouble) {
  Noise noise(13);
  double total = 0;
  for (int i = 0; i < 200; ++i) total += launch_statistics(with_events(noise, 50, 10, 20))->total / 200;
  // Of 50 slices worth 59, five more.
  EXPECT_NEAR(total, std::log(64.0 / 59.0), 0.02);
}

TEST(LaunchStatistics, TotalNeverForgetsAnEventBecauseItGotEvenWorse) {
  for (const double cost : {1.5, 2.0, 5.0, 100.0}) {
    Noise noise(14);
    double total = 0;
    for (int i = 0; i < 100; ++i) total += launch_statistics(with_events(noise, 40, 1, cost))->total / 100;
    EXPECT_GT(total, 0.009) << "cost " << cost;
  }
}

TEST(LaunchStatistics, OneInterruptedSliceMovesTheTotalByAtMostHalfASlice) {
  Launch launch = paired(60);
  launch.treatment[17] = 1e6;
  const auto statistics = launch_statistics(launch);
  EXPECT_EQ(statistics->median, 0);
  EXPECT_GT(statistics->total, 0);
  EXPECT_LE(statistics->total, std::log(60.5 / 60) + 1e-12);
}

TEST(LaunchStatistics, TotalFollowsALargeChangeOfAllSlices) {
  Launch launch = paired(60);
  launch.treatment.assign(60, 8.0);
  launch.treatment[3] = 4000;
  EXPECT_NEAR(launch_statistics(launch)->total, std::log(8), 0.03);
}

TEST(LaunchStatistics, ComparesUnpairedValuesSideBySide) {
  Launch launch;
  launch.control = {10, 12, 11};
  launch.treatment = {22, 24};
  const auto statistics = launch_statistics(launch);
  EXPECT_NEAR(statistics->median, std::log(23.0 / 11), 1e-15);
  EXPECT_NEAR(statistics->total, std::log(23.0 / 11), 1e-15);
}

TEST(LaunchStatistics, TrimsUnpairedValuesAtBothEnds) {
  Launch launch;
  for (int i = 1; i <= 40; ++i) launch.control.push_back(100);
  launch.treatment = launch.control;
  launch.treatment[5] = 1e9;
  launch.treatment[6] = 1e-9;
  EXPECT_EQ(launch_statistics(launch)->total, 0);
}

TEST(LaunchStatistics, HasNothingToSayAboutValuesThatAreNotPositiveAndFinite) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Launch launch = paired(5);
    launch.treatment[2] = bad;
    EXPECT_EQ(launch_statistics(launch), std::nullopt) << bad;
    EXPECT_EQ(launch_statistics(exchanged(launch)), std::nullopt) << bad;
    launch.first.clear();
    EXPECT_EQ(launch_statistics(launch), std::nullopt) << bad;
  }
  EXPECT_EQ(launch_statistics(Launch{}), std::nullopt);
  Launch one_sided;
  one_sided.control = {1, 2};
  EXPECT_EQ(launch_statistics(one_sided), std::nullopt);
}

TEST(LaunchStatistics, HasNothingToSayWhenTheTotalsOverflow) {
  Launch launch = paired(4);
  launch.treatment.assign(4, 1e308);
  EXPECT_EQ(launch_statistics(launch), std::nullopt);
}

TEST(LaunchStatistics, RefusesAPairedLaunchWithListsOfDifferentLengths) {
  Launch launch = paired(4);
  launch.treatment.pop_back();
  EXPECT_THROW((void)launch_statistics(launch), Error);
}

}  // namespace
}  // namespace tandem::analysis
