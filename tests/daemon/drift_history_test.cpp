#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/idle/drift.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::daemon {
namespace {

using Points = std::vector<store::StoredPoint>;

store::StoredPoint point(std::string anchor, std::string commit, double value,
                         std::string environment = "e") {
  store::StoredPoint one;
  one.anchor = std::move(anchor);
  one.commit = std::move(commit);
  one.value = value;
  one.deviation = 0.001;
  one.environment = std::move(environment);
  return one;
}

/// One point per level against one anchor, each a little off in a way that is the same every time.
Points series(const std::vector<double>& levels) {
  tandem::Random random(7);
  Points points;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double noise = (static_cast<double>(random.below(1001)) / 1000 - 0.5) * 0.001;
    points.push_back(point("anchor", fmt::format("c{}", i), levels[i] + noise));
  }
  return points;
}

std::vector<double> step_at(std::size_t at, std::size_t count, double size) {
  std::vector<double> levels(count, 0.0);
  for (std::size_t i = at; i < count; ++i) levels[i] = size;
  return levels;
}

TEST(DriftHistory, GoesOnAcrossAnchorsWhereTheNewOneStood) {
  const auto levels = levels_of({point("a", "c1", 0.01), point("a", "c2", 0.02), point("c2", "c3", 0.005)});
  EXPECT_EQ(levels, (std::vector<double>{0.01, 0.02, 0.025}));
}

TEST(DriftHistory, GoesOnAtTheSameLevelWhereNobodyKnowsTheNewAnchor) {
  const auto levels = levels_of({point("a", "c1", 0.02), point("b", "c5", 0.004), point("b", "c6", 0.010)});
  EXPECT_DOUBLE_EQ(levels[1], 0.02);
  EXPECT_DOUBLE_EQ(levels[2], 0.026);
}

TEST(DriftHistory, GoesOnAtTheSameLevelInAnotherEnvironment) {
  const auto levels = levels_of({point("a", "c1", 0.02, "old"), point("a", "c2", 0.30, "new")});
  EXPECT_NEAR(levels[1], 0.02, 1e-12);
}

TEST(DriftHistory, TellsAChangeOnceWithThePointThatBringsItToLight) {
  const Points all = series(step_at(20, 40, 0.01));
  std::size_t told = 0;
  for (std::size_t count = 1; count <= all.size(); ++count) {
    const auto change = change_by_newest({all.begin(), all.begin() + static_cast<long>(count)}, 0.01);
    if (!change) continue;
    ++told;
    EXPECT_EQ(change->before, "c19");
    EXPECT_EQ(change->commit, "c20");
    EXPECT_NEAR(change->size, 0.01, 0.002);
  }
  EXPECT_EQ(told, 1u);
}

TEST(DriftHistory, TellsNothingOfALevelHistory) {
  const Points all = series(std::vector<double>(60, 0.0));
  for (std::size_t count = 1; count <= all.size(); ++count) {
    EXPECT_FALSE(change_by_newest({all.begin(), all.begin() + static_cast<long>(count)}, 0.01)) << count;
  }
}

TEST(DriftHistory, PlacesASingleStepBetweenTwoCommits) {
  const auto range = range_of_drift(series(step_at(12, 20, 0.01)), 0.01);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->before, "c11");
  EXPECT_EQ(range->commit, "c12");
}

TEST(DriftHistory, PlacesTenSmallStepsInTheirRange) {
  std::vector<double> levels(40, 0.0);
  for (std::size_t i = 15; i < levels.size(); ++i)
    levels[i] = 0.003 * static_cast<double>(std::min<std::size_t>(i - 14, 10));
  const auto range = range_of_drift(series(levels), 0.01);
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->size, 0.03, 0.004);
  const int first = std::stoi(range->before.substr(1));
  const int last = std::stoi(range->commit.substr(1));
  EXPECT_NEAR(first, 14, 3);
  EXPECT_NEAR(last, 24, 3);
}

TEST(DriftHistory, LooksOnlyAtTheNewestAnchor) {
  Points all = series(step_at(5, 20, 0.05));
  for (std::size_t i = 0; i < 10; ++i)
    all.push_back(point("later", fmt::format("d{}", i), 0.0001 * static_cast<double>(i % 2)));
  EXPECT_FALSE(range_of_drift(all, 0.01));
}

}  // namespace
}  // namespace tandem::daemon
