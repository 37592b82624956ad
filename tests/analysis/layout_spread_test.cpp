#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/calibration.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

TEST(LayoutSpread, IsWhatTheNoiseDoesNotExplain) {
  Noise random(5);
  std::vector<double> means;
  for (int i = 0; i < 400; ++i) means.push_back(0.2 + std::hypot(0.01, 0.004) * random.normal());
  EXPECT_NEAR(layout_spread_of(means, 0.004).value(), 0.01, 0.0015);
  EXPECT_EQ(layout_spread_of(means, 0.5), 0.0);
  EXPECT_FALSE(layout_spread_of(std::vector<double>{0.1}, 0));
  EXPECT_FALSE(layout_spread_of({}, 0));
}

TEST(LayoutSpread, OfEqualMeansIsZeroAndNoneIsDoubted) {
  const std::vector<double> means(16, 0.003);
  EXPECT_EQ(layout_spread_of(means, 0), 0.0);
  EXPECT_TRUE(doubtful_layouts(means, 0).empty());
}

TEST(LayoutSpread, SeesAKindOfLinkingsThatIsRare) {
  std::vector<double> means(16, 0.0);
  means[3] = means[11] = 0.2;
  EXPECT_GT(layout_spread_of(means, 0.001).value(), 0.05);
}

TEST(LayoutSpread, DoubtsWhatStandsOutAndBelievesTheLookNearerToTheOthers) {
  std::vector<double> means;
  for (int i = 0; i < 16; ++i) means.push_back(0.001 * (i % 4));
  EXPECT_TRUE(doubtful_layouts(means, 0.001).empty());
  means[5] = 0.2;
  means[9] = -0.2;
  EXPECT_EQ(doubtful_layouts(means, 0.001), (std::vector<std::size_t>{5, 9}));
  EXPECT_TRUE(doubtful_layouts(means, 0.1).empty());
  EXPECT_TRUE(doubtful_layouts({}, 0.1).empty());
  EXPECT_EQ(nearer_to_others(means, 0.2, 0.003), 0.003);
  EXPECT_EQ(nearer_to_others(means, 0.19, 0.2), 0.19);
}

}  // namespace
}  // namespace tandem::analysis
