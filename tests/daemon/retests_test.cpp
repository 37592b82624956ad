// When a living regression is looked at again, and what comes of it.
#include <gtest/gtest.h>

#include "daemon/records/life.hpp"
#include "daemon/report/sample_record.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t some_day = 1'710'000'000;
constexpr std::int64_t week = 7 * 24 * 60 * 60;

TEST(ARetest, IsDueAWeekAfterTheLastEventOrRetestOfWhatLives) {
  Record record = tests::sample_regression();
  record.life = {{RecordState::open, some_day, "", "", ""}};
  EXPECT_FALSE(is_retest_due(record, some_day + week - 1));
  EXPECT_TRUE(is_retest_due(record, some_day + week));
  EXPECT_FALSE(is_retest_due(record, some_day - week)) << "a clock that went back";
  record.retests = {{some_day + week, "", "", analysis::Outcome::slower, {}}};
  EXPECT_FALSE(is_retest_due(record, some_day + week));
  EXPECT_TRUE(is_retest_due(record, some_day + 2 * week));
  record = with_event(record, {RecordState::acknowledged, some_day + 2 * week, "", "", ""});
  EXPECT_FALSE(is_retest_due(record, some_day + 2 * week + 1));
  EXPECT_TRUE(is_retest_due(record, some_day + 3 * week));
  for (const RecordState ended : {RecordState::fixed, RecordState::recovered, RecordState::accepted,
                                  RecordState::false_alarm, RecordState::superseded, RecordState::noted}) {
    record.state = ended;
    EXPECT_FALSE(is_retest_due(record, some_day + 9 * week)) << name_of(ended);
  }
  Record bare;
  EXPECT_TRUE(is_retest_due(bare, some_day)) << "without a life";
}

TEST(ARetest, IsNotMadeByARerunOfTheConfirmedPair) {
  Record record = tests::sample_regression();
  record.life = {{RecordState::open, some_day, "", "", ""}};
  const std::string same = record.confirmation.treatment;
  record.retests = {{some_day + week, "", same, analysis::Outcome::unchanged, {}},
                    {some_day + week + 1, "", same, analysis::Outcome::unchanged, {}}};
  EXPECT_TRUE(is_retest_due(record, some_day + week + 2));
  EXPECT_FALSE(after_retests(record, some_day + week + 2));
  record.retests.push_back({some_day + 2 * week, "", "tip", analysis::Outcome::unchanged, {}});
  record.retests.push_back({some_day + 3 * week, "", same, analysis::Outcome::slower, {}});
  EXPECT_FALSE(after_retests(record, some_day + 3 * week));
  record.retests.push_back({some_day + 4 * week, "", "tip", analysis::Outcome::unchanged, {}});
  EXPECT_TRUE(after_retests(record, some_day + 4 * week)) << "a rerun in between does not count";
}

/// What re-tests with these outcomes, a week apart, make of an open record.
std::string after(const std::vector<analysis::Outcome>& outcomes) {
  Record record = tests::sample_regression();
  record.life = {{RecordState::open, some_day, "", "", ""}};
  for (const analysis::Outcome outcome : outcomes) {
    const auto number = static_cast<std::int64_t>(record.retests.size() + 1);
    record.retests.push_back({some_day + number * week, "p", "t", outcome, {}});
  }
  const auto event = after_retests(record, some_day + 99 * week);
  return event ? name_of(event->state) : "nothing";
}

TEST(Retests, MakeItRecoveredWhenTheLastTwoDoNotShowIt) {
  EXPECT_EQ(after({}), "nothing");
  EXPECT_EQ(after({analysis::Outcome::unchanged}), "nothing");
  EXPECT_EQ(after({analysis::Outcome::unchanged, analysis::Outcome::unchanged}), "recovered");
  EXPECT_EQ(after({analysis::Outcome::slower, analysis::Outcome::faster, analysis::Outcome::identical}),
            "recovered");
  EXPECT_EQ(after({analysis::Outcome::unchanged, analysis::Outcome::unchanged, analysis::Outcome::slower}),
            "nothing");
  EXPECT_EQ(after({analysis::Outcome::unchanged, analysis::Outcome::slower, analysis::Outcome::unchanged}),
            "nothing");
  EXPECT_EQ(
      after({analysis::Outcome::unchanged, analysis::Outcome::inconclusive, analysis::Outcome::unchanged}),
      "nothing");
  EXPECT_EQ(after({analysis::Outcome::unchanged, analysis::Outcome::failed}), "nothing");
}

TEST(Retests, CountFromTheTimeItWasOpenedAgain) {
  Record record = tests::sample_regression();
  record.life = {{RecordState::open, some_day, "", "", ""}};
  record.retests = {{some_day + week, "", "", analysis::Outcome::unchanged, {}},
                    {some_day + 2 * week, "", "", analysis::Outcome::unchanged, {}}};
  record = with_event(record, {RecordState::recovered, some_day + 2 * week, "tandem", "", ""});
  EXPECT_FALSE(after_retests(record, some_day + 3 * week)) << "it has ended";
  record = with_event(record, {RecordState::open, some_day + 3 * week, "ada", "", ""});
  EXPECT_FALSE(after_retests(record, some_day + 3 * week));
  record.retests.push_back({some_day + 4 * week, "", "", analysis::Outcome::unchanged, {}});
  EXPECT_FALSE(after_retests(record, some_day + 4 * week));
  record = with_event(record, {RecordState::acknowledged, some_day + 4 * week + 1, "ada", "", ""});
  record.retests.push_back({some_day + 5 * week, "", "", analysis::Outcome::unchanged, {}});
  const auto event = after_retests(record, some_day + 5 * week);
  ASSERT_TRUE(event) << "an acknowledgement does not begin anew";
  EXPECT_EQ(event->commit, "") << "nobody knows who did it";
  EXPECT_EQ(event->at, some_day + 5 * week);
}

}  // namespace
}  // namespace tandem::daemon
