#include "daemon/idle/anchors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace tandem::daemon {
namespace {

constexpr std::int64_t day = 24 * 60 * 60;
constexpr std::int64_t new_year_2024 = 1'704'067'200;  // 2024-01-01 00:00 UTC, a Monday

TEST(Months, ChangeAtMidnightUtc) {
  EXPECT_EQ(month_of(0), 0);
  EXPECT_EQ(month_of(-1), -1);
  EXPECT_EQ(month_of(new_year_2024 - 1), (2023 - 1970) * 12 + 11);
  EXPECT_EQ(month_of(new_year_2024), (2024 - 1970) * 12);
  EXPECT_EQ(month_of(new_year_2024 + 59 * day), (2024 - 1970) * 12 + 1) << "29 February";
  EXPECT_EQ(month_of(new_year_2024 + 60 * day), (2024 - 1970) * 12 + 2);
}

/// A line of commits on these days of 2024, the last of which is the newest.
struct AnchorCase {
  const char* name;
  std::vector<double> days;
  std::set<std::size_t> unusable;
  std::optional<std::size_t> level;
  std::optional<std::size_t> week;
  std::optional<std::size_t> month;
};

class Anchors : public testing::TestWithParam<AnchorCase> {};

TEST_P(Anchors, ArePinned) {
  const AnchorCase& one = GetParam();
  std::vector<builders::Commit> commits;
  for (const double at : one.days) {
    builders::Commit commit;
    commit.id = "c" + std::to_string(commits.size());
    commit.committer_time = new_year_2024 + static_cast<std::int64_t>(at * day);
    commits.push_back(commit);
  }
  const Line line = make_line(std::move(commits), new_year_2024 + 365 * day);
  AnchorQuestion question;
  question.newest = line.commits.size() - 1;
  question.usable = [&](std::size_t at) { return !one.unusable.contains(at); };
  question.level = one.level;
  EXPECT_EQ(anchor_of(line, question, Span::week), one.week);
  EXPECT_EQ(anchor_of(line, question, Span::month), one.month);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Anchors,
    testing::Values(AnchorCase{"OneCommitAlone", {3}, {}, {}, {}, {}},
                    AnchorCase{"WithinOneWeek", {0, 1, 2}, {}, {}, 0, 0},
                    AnchorCase{"TheWeekBeginsOnMonday", {6, 7, 8}, {}, {}, 1, 0},
                    AnchorCase{"ANewWeekHasNoAnchorYet", {5, 6, 7}, {}, {}, {}, 0},
                    AnchorCase{"AMonthBeginsInTheMiddleOfAWeek", {28, 30, 31, 32}, {}, {}, 0, 2},
                    AnchorCase{"TheFirstOfAMonthHasNoneOfItsOwn", {28, 30, 31}, {}, {}, 0, {}},
                    AnchorCase{"TheLineBeginsInTheMiddle", {17.5, 19, 23}, {}, {}, {}, 0},
                    AnchorCase{"WhatIsNotUsableIsSteppedOver", {0, 7, 8, 9}, {0, 1}, {}, 2, 2},
                    AnchorCase{"NothingUsable", {0, 7, 8, 9}, {0, 1, 2}, {}, {}, {}},
                    AnchorCase{"AStepMovesIt", {0, 7, 8, 9, 10}, {}, 3, 3, 3},
                    AnchorCase{"AStepOfTheWeekBeforeMovesTheMonthsAlone", {0, 3, 7, 8}, {}, 1, 2, 1},
                    AnchorCase{"AStepAtTheNewestLeavesNone", {0, 1, 2}, {}, 2, {}, {}},
                    AnchorCase{"AClockThatGoesBackChangesNothing", {31, 29, 32}, {}, {}, 0, 0},
                    AnchorCase{"AClockInTheFutureCountsAsTheFetch", {0, 900, 2, 3}, {}, {}, 1, 1}),
    [](const auto& each) { return each.param.name; });

TEST(AnchorsOfMergedBranches, LeadToTheNewest) {
  std::vector<builders::Commit> commits(3);
  for (std::size_t at = 0; at < commits.size(); ++at) {
    commits[at].committer_time = new_year_2024 + static_cast<std::int64_t>(at);
  }
  Line line = make_line(std::move(commits), new_year_2024 + day);
  line.is_ancestor = [](std::size_t ancestor, std::size_t) { return ancestor == 1; };
  EXPECT_EQ(anchor_of(line, {2, [](std::size_t) { return true; }, {}}, Span::month), 1u);
}

store::StoredPoint point(double value, const std::string& environment = "e",
                         const std::string& anchor = "a") {
  store::StoredPoint one;
  one.anchor = anchor;
  one.value = value;
  one.deviation = 0.001;
  one.environment = environment;
  return one;
}

TEST(Drift, IsWhatLastsAndReachesHalfTheMargin) {
  std::vector<store::StoredPoint> points;
  EXPECT_FALSE(drift_at_end(points, 0.01));
  std::optional<double> found;
  for (int step = 1; step <= 10 && !found; ++step) {
    points.push_back(point(0.003 * step));
    found = drift_at_end(points, 0.01);
  }
  ASSERT_TRUE(found);
  EXPECT_GE(*found, 0.005);
  EXPECT_LE(points.size(), 5u);
}

TEST(Drift, BelowHalfTheMarginIsNone) {
  std::vector<store::StoredPoint> points;
  for (int i = 0; i < 50; ++i) {
    points.push_back(point(0.004));
    EXPECT_FALSE(drift_at_end(points, 0.01)) << i;
  }
}

TEST(Drift, IsCalledOnceForEachMove) {
  std::vector<store::StoredPoint> points;
  int calls = 0;
  for (int i = 0; i < 40; ++i) {
    points.push_back(point(i < 20 ? 0.02 : -0.02));
    calls += drift_at_end(points, 0.01) ? 1 : 0;
  }
  EXPECT_EQ(calls, 2);
}

TEST(Drift, BeginsAnewWithAnotherAnchor) {
  std::vector<store::StoredPoint> points(10, point(0.02, "e", "old"));
  points.push_back(point(0.0, "e", "new"));
  EXPECT_FALSE(drift_at_end(points, 0.01));
}

TEST(Drift, OfAnotherEnvironmentIsNoCommitsDoing) {
  std::vector<store::StoredPoint> points(10, point(0.0, "old kernel"));
  for (int i = 0; i < 20; ++i) {
    points.push_back(point(0.02, "new kernel"));
    EXPECT_FALSE(drift_at_end(points, 0.01)) << i;
  }
  std::optional<double> found;
  for (int i = 0; i < 20 && !found; ++i) {
    points.push_back(point(0.04, "new kernel"));
    found = drift_at_end(points, 0.01);
  }
  EXPECT_TRUE(found) << "what comes after the break is seen";
}

TEST(AnchorValues, AreCosts) {
  analysis::Verdict verdict;
  verdict.launches = 10;
  verdict.failed_launches = 1;
  verdict.sigma = 0.03;
  verdict.ratio.estimate = 1.1;
  const auto time = value_of(verdict, specs::Direction::lower_is_better);
  const auto rate = value_of(verdict, specs::Direction::higher_is_better);
  ASSERT_TRUE(time && rate);
  EXPECT_DOUBLE_EQ(time->value, std::log(1.1));
  EXPECT_DOUBLE_EQ(time->deviation, 0.01);
  EXPECT_DOUBLE_EQ(rate->value, -std::log(1.1));
  verdict.failed_launches = 8;
  EXPECT_FALSE(value_of(verdict, specs::Direction::lower_is_better));
}

}  // namespace
}  // namespace tandem::daemon
