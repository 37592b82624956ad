#include "analysis/signed_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

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
