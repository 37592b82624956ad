#include "daemon/life.hpp"

#include <gtest/gtest.h>

#include "daemon/report/sample_record.hpp"

namespace tandem::daemon {
namespace {

Record regression_of(double estimate, double low, double high) {
  Record record = tests::sample_regression();
  record.ratio = {estimate, low, high, 0.95};
  return record;
}

Record improvement_of(double estimate, double low, double high) {
  Record record = tests::sample_improvement();
  record.ratio = {estimate, low, high, 0.95};
  return record;
}

TEST(Life, EndsWithAFasterStepOfTheSameSize) {
  const auto improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  EXPECT_EQ(regression_ended_by({regression_of(1.1, 1.09, 1.11)}, improvement),
            std::optional<std::size_t>(0));
}

TEST(Life, EndsWhenTheIntervalsMeetWithinTheMargin) {
  const Record regression = regression_of(1.1, 1.09, 1.11);  // the margin is 1 %
  EXPECT_TRUE(regression_ended_by({regression}, improvement_of(1 / 1.125, 1 / 1.13, 1 / 1.12)));
  EXPECT_FALSE(regression_ended_by({regression}, improvement_of(1 / 1.135, 1 / 1.14, 1 / 1.13)));
  EXPECT_TRUE(regression_ended_by({regression}, improvement_of(1 / 1.075, 1 / 1.08, 1 / 1.07)));
  EXPECT_FALSE(regression_ended_by({regression}, improvement_of(1 / 1.065, 1 / 1.07, 1 / 1.06)));
}

TEST(Life, GoesOnAfterAStepThatIsTooSmallOrTooLarge) {
  const Record regression = regression_of(1.2, 1.19, 1.21);
  EXPECT_FALSE(regression_ended_by({regression}, improvement_of(0.95, 0.94, 0.96)));
  EXPECT_FALSE(regression_ended_by({regression}, improvement_of(0.5, 0.49, 0.51)));
  EXPECT_FALSE(regression_ended_by({}, improvement_of(0.95, 0.94, 0.96)));
}

TEST(Life, GoesOnWhereTwoOpenOnesFit) {
  const std::vector<Record> open = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.08, 1.12)};
  EXPECT_FALSE(regression_ended_by(open, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)));
}

TEST(Life, EndsTheOnlyOneOfSeveralThatFits) {
  const std::vector<Record> open = {regression_of(1.5, 1.49, 1.51), regression_of(1.1, 1.09, 1.11)};
  EXPECT_EQ(regression_ended_by(open, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)),
            std::optional<std::size_t>(1));
}

TEST(Life, EndsWithTheCommitThatSaysItReverts) {
  std::vector<Record> open = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.09, 1.11)};
  open[0].culprit.subject = "Vectorise rows";
  open[1].culprit.subject = "Keep \"rows\" in vectors";
  Record improvement = improvement_of(0.99, 0.98, 1.0);
  improvement.culprit.subject = "Revert \"Keep \"rows\" in vectors\"";
  EXPECT_EQ(regression_ended_by(open, improvement), std::optional<std::size_t>(1));
  improvement.culprit.subject = "Revert \"Something else\"";
  EXPECT_FALSE(regression_ended_by(open, improvement));
}

TEST(Life, ComparesThroughputsAsCosts) {
  Record regression = regression_of(0.9, 0.89, 0.91);
  Record improvement = improvement_of(1 / 0.9, 1 / 0.91, 1 / 0.89);
  regression.metric.direction = improvement.metric.direction = specs::Direction::higher_is_better;
  EXPECT_TRUE(regression_ended_by({regression}, improvement));
  improvement.ratio = {1.5, 1.49, 1.51, 0.95};
  EXPECT_FALSE(regression_ended_by({regression}, improvement));
}

TEST(Life, GainsOneEventWhenItIsFixed) {
  const Record before = tests::sample_regression();
  const auto commit = tests::sample_commit('7', "Fix");
  const Record after = fixed(before, commit, 1'700'000'000);
  EXPECT_EQ(after.state, RecordState::fixed);
  ASSERT_EQ(after.life.size(), before.life.size() + 1);
  EXPECT_EQ(after.life.back().state, RecordState::fixed);
  EXPECT_EQ(after.life.back().commit, commit.id);
  EXPECT_EQ(after.life.back().at, 1'700'000'000);
  EXPECT_EQ(after.life.back().by, "tandem");
  EXPECT_EQ(after.id, before.id);
}

}  // namespace
}  // namespace tandem::daemon
