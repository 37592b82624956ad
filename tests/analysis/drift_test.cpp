#include "analysis/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

constexpr double sigma = 0.003;

using Draw = double (Noise::*)();

TEST(Drift, AddsUpWhatExceedsTheSlack) {
  DriftState state;
  const std::vector<double> sums = {0.5, 0, 1, 2.5, 5, 4};
  const std::vector<double> deviations = {1, -1, 1.5, 2, 30, -0.5};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    state = advance(state, {sigma * deviations[i], sigma});
    EXPECT_NEAR(state.up.sum, sums[i], 1e-12) << i;
    EXPECT_FALSE(alarm_of(state)) << i;
  }
  EXPECT_EQ(state.points, 6U);
  EXPECT_EQ(state.up.since, 2U);
}

TEST(Drift, SeesAMoveOfPointsThatDoNotScatterAndNothingElse) {
  DriftState state;
  for (int i = 0; i < 100; ++i) state = advance(state, {0.0, 0.0});
  EXPECT_FALSE(alarm_of(state));
  for (int i = 0; i < 3 && !alarm_of(state); ++i) state = advance(state, {0.01, 0.0});
  const auto alarm = alarm_of(state);
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->since, 100U);
  EXPECT_GT(alarm->size, 0);
  EXPECT_LE(alarm->size, 0.01);
}

TEST(Drift, NamesTheFirstPointAndTheSizeOfAMove) {
  for (const double sign : {1.0, -1.0}) {
    DriftState state;
    for (int i = 0; i < 7; ++i) state = advance(state, {0.0, sigma});
    while (!alarm_of(state)) state = advance(state, {sign * 2 * sigma, sigma});
    const auto alarm = alarm_of(state);
    EXPECT_EQ(alarm->direction, sign > 0 ? Direction::slower : Direction::faster);
    EXPECT_EQ(alarm->since, 7U);
    EXPECT_EQ(alarm->at, 10U);
    EXPECT_NEAR(alarm->size, sign * 2 * sigma, 1e-12);
  }
}

TEST(Drift, AFlooredDeviationKeepsTinyErrorBarsFromAlarming) {
  DriftState state;
  for (int i = 0; i < 100; ++i) state = advance(state, {1e-4, 0.0});
  EXPECT_FALSE(alarm_of(state));
}

TEST(Drift, OneWildPointMakesNoAlarm) {
  DriftState state = advance({}, {10.0, sigma});
  EXPECT_FALSE(alarm_of(state));
  for (int i = 0; i < 6; ++i) state = advance(state, {0.0, sigma});
  EXPECT_EQ(state.up.sum, 0);
}

TEST(Drift, AfterAnAlarmTheFoundLevelIsTheReference) {
  Noise noise(501);
  DriftState state;
  while (!alarm_of(state)) state = advance(state, {4 * sigma, sigma});
  state = after_alarm(state, *alarm_of(state));
  EXPECT_NEAR(state.level, 3 * sigma, 1e-12) << "distances count up to three deviations";
  const std::size_t points = state.points;
  for (int i = 0; i < 20; ++i) state = advance(state, {3 * sigma + 0.5 * sigma * noise.normal(), sigma});
  EXPECT_FALSE(alarm_of(state));
  for (int i = 0; i < 20 && !alarm_of(state); ++i) state = advance(state, {0.0, sigma});
  ASSERT_TRUE(alarm_of(state));
  EXPECT_EQ(alarm_of(state)->direction, Direction::faster);
  EXPECT_EQ(alarm_of(state)->since, points + 20);
}

TEST(Drift, AfterABreakNothingIsComparedWithWhatWasBefore) {
  DriftState state;
  for (int i = 0; i < 20; ++i) state = advance(state, {0.0, sigma});
  state = after_break(state);
  for (int i = 0; i < 100; ++i) {
    state = advance(state, {0.5, sigma});
    EXPECT_FALSE(alarm_of(state));
  }
  EXPECT_NEAR(state.level, 0.5, 1e-12);
  for (int i = 0; i < 20 && !alarm_of(state); ++i) state = advance(state, {0.5 + 2 * sigma, sigma});
  ASSERT_TRUE(alarm_of(state));
  EXPECT_EQ(alarm_of(state)->since, 120U);
}

TEST(Drift, RefusesWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)advance({}, {nan, sigma}), Error);
  EXPECT_THROW((void)advance({}, {0, nan}), Error);
  EXPECT_THROW((void)advance({}, {0, -1}), Error);
}

double false_alarms_per_point(DriftReference reference, Draw draw) {
  Noise noise(502);
  constexpr std::size_t points = 400000;
  std::size_t alarms = 0;
  DriftState state{.reference = reference};
  while (state.points < points) {
    state = advance(state, {sigma * (noise.*draw)(), sigma});
    if (!alarm_of(state)) continue;
    ++alarms;
    state = {.reference = reference, .points = state.points};
  }
  return static_cast<double>(alarms) / static_cast<double>(points);
}

TEST(DriftSimulation, CallsSteadyHistoriesFalselyAsRarelyAsKnown) {
  // 930 points to a false alarm in one direction: 465 in both.
  const double given = false_alarms_per_point(DriftReference::given, &Noise::normal);
  const double learned = false_alarms_per_point(DriftReference::learned, &Noise::normal);
  const double spiky = false_alarms_per_point(DriftReference::given, &Noise::spiky);
  std::printf("false alarms per 1000 points: given %.2f, learned %.2f, one in twenty tenfold %.2f\n",
              1000 * given, 1000 * learned, 1000 * spiky);
  EXPECT_LE(given, 1.15 / 465);
  EXPECT_GE(given, 0.85 / 465);
  EXPECT_LE(learned, 1.15 / 465);
  EXPECT_LE(spiky, 4.0 / 465);
}

TEST(DriftSimulation, FindsAStepOfOneDeviationSoon) {
  Noise noise(503);
  constexpr int rounds = 1000;
  std::size_t delays = 0;
  std::size_t longest = 0;
  double sizes = 0;
  for (int round = 0; round < rounds; ++round) {
    DriftState state;
    while (!alarm_of(state)) state = advance(state, {0.003 + sigma * noise.normal(), sigma});
    const DriftAlarm alarm = *alarm_of(state);
    EXPECT_EQ(alarm.direction, Direction::slower);
    delays += state.points;
    longest = std::max(longest, state.points);
    sizes += alarm.size;
  }
  std::printf("a step of 0.3 %% at 0.3 %%: %.1f points, at most %zu, taken for %.2f %%\n",
              static_cast<double>(delays) / rounds, longest, 100 * sizes / rounds);
  EXPECT_LE(delays, 12U * rounds);
  EXPECT_LE(longest, 50U);
  EXPECT_NEAR(sizes / rounds, 0.003, 0.0015);
}

TEST(DriftSimulation, FindsManySmallStepsThatAddUp) {
  Noise noise(504);
  for (int round = 0; round < 200; ++round) {
    DriftState state;
    while (!alarm_of(state)) {
      state = advance(state, {1e-4 * static_cast<double>(state.points) + sigma * noise.normal(), sigma});
    }
    EXPECT_LE(state.points, 90U);
  }
}

}  // namespace
}  // namespace tandem::analysis
