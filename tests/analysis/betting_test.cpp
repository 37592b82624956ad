#include "analysis/betting.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

std::vector<Bet> same(std::size_t count, double value, double scale) {
  return std::vector<Bet>(count, {value, scale});
}

TEST(Betting, StartsWithoutEvidence) {
  EXPECT_EQ(evidence_of({}, Alternative::above, 0), 1);
  EXPECT_EQ(evidence_of({}, Alternative::below, 0), 1);
}

TEST(Betting, MultipliesTheWealthOfEveryStake) {
  // One observation half way to the clip: the mean of 1 + λ/2 with the mean stake 0.53.
  EXPECT_DOUBLE_EQ(evidence_of(same(1, 1.25, 1), Alternative::above, 0), 1.265);
  EXPECT_DOUBLE_EQ(evidence_of(same(1, 1.25, 1), Alternative::below, 0), 0.735);
  // Nine observations beyond the clip: the mean of (1 + λ)^9.
  EXPECT_NEAR(evidence_of(same(9, 1000, 1), Alternative::above, 0), 151.7, 0.5);
}

TEST(Betting, NeedsNineLaunchesForSlowerSixForUnchangedSevenForAnInterval) {
  EXPECT_LT(evidence_of(same(8, 1000, 1), Alternative::above, 0), decisive_median);
  EXPECT_GE(evidence_of(same(9, 1000, 1), Alternative::above, 0), decisive_median);
  EXPECT_LT(evidence_of(same(5, 1000, 1), Alternative::above, 0), decisive_unchanged);
  EXPECT_GE(evidence_of(same(6, 1000, 1), Alternative::above, 0), decisive_unchanged);
  EXPECT_FALSE(confidence_interval(same(6, 0, 1), 0.95));
  EXPECT_TRUE(confidence_interval(same(7, 0, 1), 0.95));
  EXPECT_TRUE(confidence_interval(same(6, 0, 1), 0.90));
  EXPECT_FALSE(confidence_interval({}, 0.5));
}

TEST(Betting, StaysFiniteHoweverLongItGoesOn) {
  auto bets = same(100'000, 10, 1);
  bets.push_back({-10, 1});
  const double evidence = evidence_of(bets, Alternative::above, 0);
  EXPECT_TRUE(std::isfinite(evidence));
  EXPECT_GT(evidence, 1e90);
}

TEST(Betting, IntervalEndsWhereTheEvidenceCrossesItsThreshold) {
  Noise noise(21);
  std::vector<Bet> bets;
  for (int i = 0; i < 40; ++i) bets.push_back({0.3 + noise.normal(), 1});
  const auto interval = confidence_interval(bets, 0.95);
  ASSERT_TRUE(interval);
  const auto [low, high] = *interval;
  EXPECT_NEAR(evidence_of(bets, Alternative::above, low), 40, 1e-6);
  EXPECT_NEAR(evidence_of(bets, Alternative::below, high), 40, 1e-6);
  EXPECT_LT(low, 0.3);
  EXPECT_GT(high, 0.3);
}

TEST(Betting, IntervalOfTheNegatedBetsIsTheNegatedInterval) {
  Noise noise(22);
  std::vector<Bet> bets, negated;
  for (int i = 0; i < 25; ++i) {
    bets.push_back({noise.heavy(), 0.8});
    negated.push_back({-bets.back().value, 0.8});
  }
  const auto straight = *confidence_interval(bets, 0.95);
  const auto turned = *confidence_interval(negated, 0.95);
  EXPECT_DOUBLE_EQ(straight.first, -turned.second);
  EXPECT_DOUBLE_EQ(straight.second, -turned.first);
}

TEST(Betting, AHugeOutlierLeavesTheIntervalFiniteAndNearTheRest) {
  auto bets = same(30, 0.0, 1);
  bets[3].value = 1e9;
  const auto interval = *confidence_interval(bets, 0.95);
  EXPECT_LT(interval.second, 2);
  EXPECT_GT(interval.first, -2);
}

TEST(Betting, MoreEvidenceMakesTheIntervalNarrower) {
  Noise noise(23);
  std::vector<Bet> bets;
  double width_at_20 = 0;
  for (int i = 0; i < 200; ++i) {
    bets.push_back({noise.normal(), 1});
    const auto interval = confidence_interval(bets, 0.95);
    if (i == 19) width_at_20 = interval->second - interval->first;
  }
  const auto interval = *confidence_interval(bets, 0.95);
  EXPECT_LT(interval.second - interval.first, width_at_20 / 2);
}

}  // namespace
}  // namespace tandem::analysis
