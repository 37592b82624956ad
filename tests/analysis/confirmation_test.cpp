#include "analysis/confirmation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

std::vector<double> units(Noise& noise, std::size_t count, double centre, double sigma) {
  std::vector<double> values(count);
  for (double& value : values) value = centre + sigma * noise.normal();
  return values;
}

/// Measures up to each next look, as a pipeline does.
ConfirmationResult to_the_end(Noise& noise, double centre, double sigma, const ConfirmationPlan& plan) {
  std::vector<double> values;
  ConfirmationResult result = confirm(values, plan);
  while (result.outcome == ConfirmationOutcome::undecided_more) {
    while (values.size() < result.next_look) values.push_back(centre + sigma * noise.normal());
    result = confirm(values, plan);
  }
  return result;
}

TEST(Confirmation, AsksForTheFirstLookBeforeAnythingIsMeasured) {
  const auto result = confirm({}, {});
  EXPECT_EQ(result.outcome, ConfirmationOutcome::undecided_more);
  EXPECT_EQ(result.next_look, 16U);
  EXPECT_EQ(result.p_value, 1);
  EXPECT_EQ(result.ratio.level, 1);
}

TEST(Confirmation, ConfirmsAPlainChangeAtTheFirstLook) {
  const auto result = confirm(std::vector<double>(16, 0.02), {});
  EXPECT_EQ(result.outcome, ConfirmationOutcome::confirmed);
  EXPECT_EQ(result.units, 16U);
  EXPECT_EQ(result.next_look, 0U);
  EXPECT_EQ(result.p_value, std::ldexp(1, -16));
  EXPECT_DOUBLE_EQ(result.ratio.estimate, std::exp(0.02));
  EXPECT_EQ(result.ratio.level, 0.95);
}

TEST(Confirmation, GivesEqualUnitsAnIntervalOfNoWidth) {
  const auto result = confirm(std::vector<double>(16, 0.02), {});
  EXPECT_EQ(result.ratio.low, result.ratio.estimate);
  EXPECT_EQ(result.ratio.high, result.ratio.estimate);
  EXPECT_EQ(minimum_effect(0.01, 0.0), 0.005) << "null commits that do not scatter";
}

TEST(Confirmation, FirstLookAllowsOneSmallUnitOfTheOtherSignAndNoMore) {
  std::vector<double> values(16, 0.02);
  values[5] = -0.001;
  EXPECT_EQ(confirm(values, {}).outcome, ConfirmationOutcome::confirmed);
  values[6] = -0.001;
  EXPECT_EQ(confirm(values, {}).outcome, ConfirmationOutcome::undecided_more);
}

TEST(Confirmation, ConfirmsImprovementsTheSameWay) {
  const ConfirmationPlan plan{.suspected = Direction::faster};
  EXPECT_EQ(confirm(std::vector<double>(16, -0.02), plan).outcome, ConfirmationOutcome::confirmed);
  EXPECT_EQ(confirm(std::vector<double>(16, 0.02), plan).outcome, ConfirmationOutcome::not_reproduced);
  EXPECT_LT(confirm(std::vector<double>(16, -0.02), plan).ratio.high, 1);
}

TEST(Confirmation, DoesNotReproduceAChangeInTheOtherDirection) {
  EXPECT_EQ(confirm(std::vector<double>(16, -0.02), {}).outcome, ConfirmationOutcome::not_reproduced);
}

TEST(Confirmation, GivesUpWhereTheEstimateIsBelowHalfTheBar) {
  EXPECT_EQ(confirm(std::vector<double>(16, 0.002), {}).outcome, ConfirmationOutcome::not_reproduced);
  EXPECT_EQ(confirm(std::vector<double>(16, 0.0), {}).outcome, ConfirmationOutcome::not_reproduced);
}

TEST(Confirmation, BetweenFutilityAndTheBarItGoesOnToTheLastLook) {
  const std::vector<double> values(64, 0.004);
  const auto part = std::span<const double>(values);
  EXPECT_EQ(confirm(part.first(16), {}).next_look, 32U);
  EXPECT_EQ(confirm(part.first(32), {}).next_look, 64U);
  EXPECT_EQ(confirm(values, {}).outcome, ConfirmationOutcome::not_reproduced);
}

TEST(Confirmation, MeasuresByTheBarItIsGiven) {
  const std::vector<double> values(16, 0.02);
  EXPECT_EQ(confirm(values, {.minimum_effect = 0.03}).outcome, ConfirmationOutcome::undecided_more);
  EXPECT_EQ(confirm(values, {.minimum_effect = 0.05}).outcome, ConfirmationOutcome::not_reproduced);
  EXPECT_EQ(minimum_effect(0.01), 0.005);
  EXPECT_EQ(minimum_effect(0.01, 0.001), 0.005);
  EXPECT_DOUBLE_EQ(minimum_effect(0.01, 0.006), 0.024);
}

TEST(Confirmation, LooksOnlyWhereItWasPlanned) {
  Noise noise(61);
  const auto values = units(noise, 64, 0.008, 0.01);
  const auto part = std::span<const double>(values);
  const auto at_first = confirm(part.first(16), {});
  ASSERT_EQ(at_first.outcome, ConfirmationOutcome::undecided_more);
  for (std::size_t count = 17; count < 32; ++count) {
    const auto between = confirm(part.first(count), {});
    EXPECT_EQ(between.outcome, ConfirmationOutcome::undecided_more);
    EXPECT_EQ(between.p_value, at_first.p_value);
    EXPECT_EQ(between.next_look, 32U);
  }
}

TEST(Confirmation, ALookThatDecidedIsNotOverturnedByLaterUnits) {
  std::vector<double> values(16, 0.02);
  values.resize(40, -0.5);
  const auto result = confirm(values, {});
  EXPECT_EQ(result.outcome, ConfirmationOutcome::confirmed);
  EXPECT_EQ(result.units, 16U);
  EXPECT_DOUBLE_EQ(result.ratio.estimate, std::exp(0.02));
}

TEST(Confirmation, EveryLookCanConfirm) {
  for (const std::size_t look : confirmation_looks) {
    // Two units of the other sign for each 16 hold the first look back; the others make up for it.
    std::vector<double> values(look, 0.02);
    if (look > 16) values[0] = values[1] = values[2] = -0.02;
    if (look > 32) {
      for (std::size_t i = 16; i < 26; ++i) values[i] = -0.01;
    }
    const auto result = confirm(values, {});
    EXPECT_EQ(result.outcome, ConfirmationOutcome::confirmed) << look;
    EXPECT_EQ(result.units, look);
  }
}

TEST(Confirmation, HasThePowerThatLayoutsOfOnePercentAllow) {
  // One unit differs by the layouts of both sides: sqrt(2) times 0.5 % or 1 %.
  Noise noise(62);
  int found_small_spread = 0, found_large_spread = 0;
  for (int round = 0; round < 200; ++round) {
    if (to_the_end(noise, 0.01, 0.007, {}).outcome == ConfirmationOutcome::confirmed) ++found_small_spread;
    if (to_the_end(noise, 0.02, 0.014, {}).outcome == ConfirmationOutcome::confirmed) ++found_large_spread;
  }
  EXPECT_GE(found_small_spread, 190);
  EXPECT_GE(found_large_spread, 190);
}

TEST(Confirmation, HardlyEverConfirmsNoChange) {
  // At a total level of 1e-4 and with the bar, one is a surprise already, two are a fault.
  Noise noise(63);
  int confirmed = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto result = to_the_end(noise, 0, 0.01, {});
    if (result.outcome == ConfirmationOutcome::confirmed) ++confirmed;
  }
  EXPECT_LE(confirmed, 1);
}

TEST(Confirmation, IntervalCoversTheTruthAtWhicheverLookItStops) {
  Noise noise(64);
  int covered = 0;
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    const auto result = to_the_end(noise, 0.01, 0.012, {});
    if (result.ratio.low <= std::exp(0.01) && std::exp(0.01) <= result.ratio.high) ++covered;
  }
  EXPECT_GE(covered, rounds * 0.95 - 3 * std::sqrt(rounds * 0.95 * 0.05));
}

TEST(Confirmation, RefusesWhatItCannotJudge) {
  EXPECT_THROW((void)confirm({}, {.minimum_effect = 0}), InputError);
  EXPECT_THROW((void)confirm({}, {.minimum_effect = std::numeric_limits<double>::quiet_NaN()}), InputError);
  EXPECT_THROW((void)confirm(std::vector<double>{0.1, std::numeric_limits<double>::quiet_NaN()}, {}), Error);
}

TEST(Confirmation, AUnitIsTheMeanOfItsTwoLaunches) {
  const LaunchStatistics one{0.01, 0.05}, other{0.03, 0.01};
  EXPECT_DOUBLE_EQ(*unit_value(one, other, Statistic::median), 0.02);
  EXPECT_DOUBLE_EQ(*unit_value(one, other, Statistic::total), 0.03);
  EXPECT_EQ(unit_value(one, std::nullopt, Statistic::median), std::nullopt);
  EXPECT_STREQ(name_of(ConfirmationOutcome::not_reproduced), "not reproduced");
}

}  // namespace
}  // namespace tandem::analysis
