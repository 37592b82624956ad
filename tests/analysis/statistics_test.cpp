#include "analysis/statistics.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using Sample = std::vector<double>;

TEST(Statistics, MedianIsTheMidpointOfTheTwoCentralValues) {
  EXPECT_EQ(median(Sample{3}), 3);
  EXPECT_EQ(median(Sample{4, 1}), 2.5);
  EXPECT_EQ(median(Sample{9, 1, 5}), 5);
  EXPECT_EQ(median(Sample{9, 1, 5, 6}), 5.5);
  EXPECT_EQ(median(Sample{7, 7, 7, 7}), 7);
  EXPECT_EQ(median(Sample{1e308, 1.2e308}), 1.1e308);
}

TEST(Statistics, DeviationIsMeasuredFromTheMedian) {
  EXPECT_EQ(median_absolute_deviation(Sample{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(median_absolute_deviation(Sample{1, 2, 3, 100}), 1);
  EXPECT_EQ(median_absolute_deviation(Sample{5}), 0);
  EXPECT_EQ(median_absolute_deviation(Sample{5, 5, 5, 1e9}), 0);
  EXPECT_DOUBLE_EQ(*robust_deviation(Sample{1, 2, 3, 100}), 1.4826);
}

TEST(Statistics, RobustDeviationOfNormalValuesIsTheirStandardDeviation) {
  Noise noise(1);
  Sample sample(20'000);
  for (double& value : sample) value = 3 + 0.5 * noise.normal();
  EXPECT_NEAR(*robust_deviation(sample), 0.5, 0.01);
}

TEST(Statistics, HodgesLehmannIsTheMedianOfAllPairAverages) {
  // Averages of {1, 2, 6}: 1, 1.5, 3.5, 2, 4, 6.
  EXPECT_EQ(hodges_lehmann(Sample{6, 1, 2}), 2.75);
  EXPECT_EQ(hodges_lehmann(Sample{4}), 4);
  EXPECT_EQ(hodges_lehmann(Sample{1, 3}), 2);
  EXPECT_EQ(hodges_lehmann(Sample{0, 0, 0, 0}), 0);
}

TEST(Statistics, HodgesLehmannIsHardlyMovedByOneHugeOutlier) {
  Sample sample;
  for (int i = -10; i <= 10; ++i) sample.push_back(i);
  sample.push_back(1e12);
  EXPECT_NEAR(*hodges_lehmann(sample), 0, 1);
}

TEST(Statistics, QuantileInterpolatesBetweenItsNeighbours) {
  const Sample sample{40, 10, 20, 30};
  EXPECT_EQ(quantile(sample, 0), 10);
  EXPECT_EQ(quantile(sample, 1), 40);
  EXPECT_EQ(quantile(sample, 0.5), 25);
  EXPECT_DOUBLE_EQ(*quantile(sample, 0.95), 38.5);
  EXPECT_EQ(quantile(Sample{8}, 0.3), 8);
}

TEST(Statistics, EmptySamplesHaveNoSummary) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(median_absolute_deviation({}), std::nullopt);
  EXPECT_EQ(robust_deviation({}), std::nullopt);
  EXPECT_EQ(hodges_lehmann({}), std::nullopt);
  EXPECT_EQ(quantile({}, 0.5), std::nullopt);
  EXPECT_EQ(SortedSample().median(), std::nullopt);
  EXPECT_EQ(SortedSample().median_absolute_deviation(), std::nullopt);
}

TEST(Statistics, RefusesValuesThatAreNotFinite) {
  for (const double bad : {nan, infinity, -infinity}) {
    const Sample sample{1, bad, 2};
    EXPECT_THROW((void)median(sample), Error);
    EXPECT_THROW((void)median_absolute_deviation(sample), Error);
    EXPECT_THROW((void)robust_deviation(sample), Error);
    EXPECT_THROW((void)hodges_lehmann(sample), Error);
    EXPECT_THROW((void)quantile(sample, 0.5), Error);
    EXPECT_THROW((void)quantile(Sample{1, 2}, bad), Error);
    EXPECT_THROW(SortedSample().insert(bad), Error);
  }
}

TEST(Statistics, CentresOfTheNegatedSampleAreExactlyNegated) {
  Noise noise(2);
  for (std::size_t size = 1; size < 40; ++size) {
    Sample sample, negated;
    for (std::size_t i = 0; i < size; ++i) {
      sample.push_back(noise.heavy());
      negated.push_back(-sample.back());
    }
    EXPECT_EQ(*median(negated), -*median(sample));
    EXPECT_EQ(*hodges_lehmann(negated), -*hodges_lehmann(sample));
    EXPECT_EQ(*median_absolute_deviation(negated), *median_absolute_deviation(sample));
  }
}

TEST(SortedSample, KnowsTheSameNumbersAsTheWholeSampleAfterEveryValue) {
  Noise noise(3);
  Sample sample;
  SortedSample sorted;
  for (int i = 0; i < 200; ++i) {
    // Every third value repeats a round number, so that ties occur.
    sample.push_back(i % 3 == 0 ? std::round(noise.normal()) : noise.heavy());
    sorted.insert(sample.back());
    ASSERT_EQ(sorted.median(), median(sample));
    ASSERT_EQ(sorted.median_absolute_deviation(), median_absolute_deviation(sample)) << "after " << i + 1;
  }
}

}  // namespace
}  // namespace tandem::analysis
