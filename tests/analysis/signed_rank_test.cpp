#include "analysis/confirmation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

/// Every sign pattern, one by one, over ranks that are given.
double by_enumeration(const std::vector<double>& ranks, const std::vector<int>& signs) {
  double observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) observed += signs[i] > 0 ? ranks[i] : 0;
  std::size_t hits = 0;
  for (std::size_t pattern = 0; pattern < (1U << ranks.size()); ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (pattern >> i & 1U) != 0 ? ranks[i] : 0;
    if (sum >= observed) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(1U << ranks.size());
}

TEST(SignedRank, HasKnownAnswers) {
  EXPECT_EQ(signed_rank_p_value({}), 1);
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{2}), 0.5);
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{-2}), 1);
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{1, 2, 3}), 1.0 / 8);
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{-1, 2, 3}), 2.0 / 8);
  EXPECT_EQ(signed_rank_p_value(std::vector<double>(16, 0.3)), std::ldexp(1, -16));
  EXPECT_EQ(signed_rank_p_value(std::vector<double>(64, 0.3)), std::ldexp(1, -64));
  EXPECT_EQ(signed_rank_p_value(std::vector<double>(16, 0)), 1);
  // Upper 5 % point of 10 values, any table: a positive sum of 45 has 0.0420, one of 44 has 0.0527.
  EXPECT_NEAR(signed_rank_p_value(std::vector<double>{-1, -2, -3, -4, 5, 6, 7, 8, 9, 10}), 0.0420, 1e-4);
}

TEST(SignedRank, GivesEqualSizesTheirMeanRankAndZerosNoSide) {
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{2, -2, 2, 5}),
            by_enumeration({2, 2, 2, 4}, {1, -1, 1, 1}));
  EXPECT_EQ(signed_rank_p_value(std::vector<double>{0, 3, 0, -1, 3}),
            by_enumeration({3, 4.5, 4.5}, {-1, 1, 1}));
}

TEST(SignedRank, IsMovedByAnOutlierNoMoreThanByItsRank) {
  std::vector<double> values(32, 0.02);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.0001 * static_cast<double>(i);
  values[7] = -0.1;
  const double near = signed_rank_p_value(values);
  values[7] = -1000;
  EXPECT_EQ(signed_rank_p_value(values), near);
  EXPECT_LT(near, 1e-6);
}

TEST(SignedRank, RejectsNoMoreOftenThanItsLevelUnderSymmetricNoise) {
  Noise noise(52);
  int rejected = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> values(12);
    for (double& value : values) value = noise.coin() * (1 + 0.2 * noise.heavy());
    if (signed_rank_p_value(values) <= 0.05) ++rejected;
  }
  EXPECT_LE(rejected, 4000 * 0.05 + 4 * std::sqrt(4000 * 0.05 * 0.95));
  EXPECT_GE(rejected, 4000 * 0.03);
}

TEST(SignedRank, RefusesValuesThatAreNotFinite) {
  const std::vector<double> values{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW((void)signed_rank_p_value(values), Error);
}

TEST(SignedRankInterval, TakesTheTabulatedOrderStatistics) {
  // Critical values of the signed-rank sum, two-sided 5 %: 8 at 10 values, 29 at 16 (any table); here k is
  // one more.
  for (const auto& [count, critical] : {std::pair<std::size_t, std::size_t>{10, 8}, {16, 29}}) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::pow(2, static_cast<double>(i));
    std::vector<double> averages = walsh_averages(values);
    std::sort(averages.begin(), averages.end());
    const auto interval = signed_rank_interval(values, 0.95);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->first, averages[critical]);
    EXPECT_EQ(interval->second, averages[averages.size() - 1 - critical]);
  }
}

TEST(SignedRankInterval, NeedsSixValuesForNinetyFivePercent) {
  EXPECT_FALSE(signed_rank_interval({}, 0.95));
  EXPECT_FALSE(signed_rank_interval(std::vector<double>(5, 1.0), 0.95));
  EXPECT_TRUE(signed_rank_interval(std::vector<double>(6, 1.0), 0.95));
}

TEST(SignedRankInterval, CoversTheCentreAsOftenAsItSays) {
  Noise noise(51);
  int covered = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values(16);
    for (double& value : values) value = 1 + noise.heavy();
    const auto interval = signed_rank_interval(values, 0.95);
    if (interval->first <= 1 && 1 <= interval->second) ++covered;
  }
  EXPECT_GE(covered, 2000 * 0.935);
  EXPECT_LE(covered, 2000 * 0.975);
}

}  // namespace
}  // namespace tandem::analysis
