#include "analysis/launch_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

TEST(LocalMedian, UsesTheNeighboursThatThereAre) {
  const std::vector<double> values = {5, 1, 2, 8, 3, 9, 4, 7};
  EXPECT_EQ(local_median(values, 0), 3.5);  // of 5 1 2 8
  EXPECT_EQ(local_median(values, 3), 4);    // of 5 1 2 8 3 9 4
  EXPECT_EQ(local_median(values, 7), 5.5);  // of 3 9 4 7
  EXPECT_EQ(local_median(std::vector<double>{6}, 0), 6);
}

TEST(LocalMedian, KeepsAStepAndDropsThreeOutliersInARow) {
  std::vector<double> values(40, 0.0);
  for (std::size_t i = 20; i < 40; ++i) values[i] = 1.0;
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(local_median(values, i), i < 20 ? 0 : 1) << i;
  values[9] = values[10] = values[11] = 50.0;
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(local_median(values, i), 0) << i;
}

TEST(LocalDeviation, DoesNotCountStepsAndSlowMoves) {
  Noise noise(601);
  std::vector<double> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2 * noise.normal() + (i % 200 < 100 ? 500.0 : 0.0) + 0.01 * static_cast<double>(i);
  }
  EXPECT_NEAR(local_deviation(values), 2.0, 0.2);
  EXPECT_EQ(local_deviation(std::vector<double>{7}), 0);
}

TEST(PulledIn, LeavesWhatIsWithinThreeDeviations) {
  EXPECT_EQ(pulled_in(2.5, 1.0, 0.5), 2.5);
  EXPECT_EQ(pulled_in(2.6, 1.0, 0.5), 2.5);
  EXPECT_EQ(pulled_in(-9, 1.0, 0.5), -0.5);
}

}  // namespace
}  // namespace tandem::analysis
