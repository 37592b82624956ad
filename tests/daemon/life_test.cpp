#include "daemon/life.hpp"

#include <gtest/gtest.h>

#include "daemon/report/sample_record.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

using builders::CommitFacts;

constexpr std::int64_t some_day = 1'710'000'000;

Record regression_of(double estimate, double low, double high) {
  Record record = tests::sample_regression();
  record.ratio = {estimate, low, high, 0.95};
  return record;
}

Record improvement_of(double estimate, double low, double high) {
  Record record = tests::sample_improvement();
  record.benchmark = tests::sample_regression().benchmark;
  record.ratio = {estimate, low, high, 0.95};
  return record;
}

/// "1 fixed", "0 partly fixed 1.038" or "nothing".
std::string ending_of(const std::vector<Record>& alive, const Record& improvement,
                      const CommitFacts& facts = {}) {
  const auto ending = ended_by(alive, improvement, facts);
  if (!ending) return "nothing";
  EXPECT_FALSE(ending->reason.empty());
  std::string text = std::to_string(ending->which) + " " + name_of(ending->state);
  if (ending->remaining) text += " " + std::to_string(*ending->remaining).substr(0, 5);
  return text;
}

TEST(Ending, IsAFasterStepOfTheSameSize) {
  EXPECT_EQ(ending_of({regression_of(1.1, 1.09, 1.11)}, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)),
            "0 fixed");
}

TEST(Ending, LetsTheIntervalsMeetWithinTheMargin) {
  const Record regression = regression_of(1.1, 1.09, 1.11);  // the margin is 1 %
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.125, 1 / 1.13, 1 / 1.12)), "0 fixed");
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.075, 1 / 1.08, 1 / 1.07)), "0 fixed");
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.135, 1 / 1.14, 1 / 1.13)), "nothing") << "larger";
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.065, 1 / 1.07, 1 / 1.06)), "0 partly fixed 1.032");
}

TEST(Ending, IsNoneForAStepThatIsTooLargeOrForNoRegression) {
  EXPECT_EQ(ending_of({regression_of(1.2, 1.19, 1.21)}, improvement_of(0.5, 0.49, 0.51)), "nothing");
  EXPECT_EQ(ending_of({}, improvement_of(0.95, 0.94, 0.96)), "nothing");
}

TEST(Ending, IsNoneWhereTwoFit) {
  const std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.08, 1.12)};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "nothing");
}

TEST(Ending, TakesTheOnlyOneOfSeveralThatFits) {
  const std::vector<Record> alive = {regression_of(1.5, 1.49, 1.51), regression_of(1.1, 1.09, 1.11)};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "1 fixed");
}

TEST(Ending, IsNotOneInPartWhereThereAreTwo) {
  const std::vector<Record> alive = {regression_of(1.5, 1.49, 1.51), regression_of(1.3, 1.29, 1.31)};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "nothing");
}

TEST(Ending, PassesOverOtherMetricsAndBenchmarks) {
  Record memory = regression_of(1.1, 1.09, 1.11);
  memory.metric = {"memory", "B", specs::Direction::lower_is_better};
  Record other = regression_of(1.1, 1.09, 1.11);
  other.benchmark = "matmul";
  const Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  EXPECT_EQ(ending_of({memory, other}, improvement), "nothing");
  EXPECT_EQ(ending_of({memory, other, regression_of(1.1, 1.09, 1.11)}, improvement), "2 fixed");
  EXPECT_EQ(ending_of({memory, regression_of(1.2, 1.19, 1.21)}, improvement), "1 partly fixed 1.090");
}

TEST(Ending, IsThatOfTheCommitThatTheMessageNames) {
  std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.09, 1.11)};
  alive[1].culprit = tests::sample_commit('5', "Another");
  const Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  CommitFacts facts;
  facts.reverts = {"5555555"};
  EXPECT_EQ(ending_of(alive, improvement, facts), "1 fixed");
  facts.reverts = {"99999999", alive[0].culprit.id};
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 fixed");
  EXPECT_EQ(ending_of(alive, improvement_of(0.98, 0.97, 0.99), facts), "0 fixed") << "whatever the size";
  facts.reverts = {"555555"};
  EXPECT_EQ(ending_of(alive, improvement, facts), "nothing") << "too few digits to name a commit";
}

TEST(Ending, IsThatOfTheChangeWhoseOppositeItIs) {
  std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.09, 1.11)};
  alive[0].culprit_patch = "abc";
  CommitFacts facts;
  facts.patch_id = "abc";
  const Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  EXPECT_EQ(ending_of(alive, improvement, facts), "nothing") << "the same change is not its opposite";
  facts.reverse_patch_id = "abc";
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 fixed");
  facts.reverse_patch_id.clear();
  alive[0].culprit_patch.clear();
  EXPECT_EQ(ending_of(alive, improvement, facts), "nothing") << "two that are unknown are not the same";
}

TEST(Ending, IsThatOfTheSubjectThatIsReverted) {
  std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.09, 1.11)};
  alive[0].culprit.subject = "Vectorise rows";
  alive[1].culprit.subject = "Keep \"rows\" in vectors";
  Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  improvement.culprit.subject = "Revert \"Keep \"rows\" in vectors\"";
  EXPECT_EQ(ending_of(alive, improvement), "1 fixed");
  improvement.culprit.subject = "Revert \"Something else\"";
  EXPECT_EQ(ending_of(alive, improvement), "nothing");
}

TEST(Ending, TrustsIdsMoreThanPatchesAndPatchesMoreThanSubjects) {
  std::vector<Record> alive(3, regression_of(1.1, 1.09, 1.11));
  alive[0].culprit = tests::sample_commit('1', "By subject");
  alive[1].culprit = tests::sample_commit('2', "By patch");
  alive[1].culprit_patch = "patch";
  alive[2].culprit = tests::sample_commit('3', "By id");
  Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  improvement.culprit.subject = "Revert \"By subject\"";
  CommitFacts facts;
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 fixed");
  facts.reverse_patch_id = "patch";
  EXPECT_EQ(ending_of(alive, improvement, facts), "1 fixed");
  facts.reverts = {"33333333"};
  EXPECT_EQ(ending_of(alive, improvement, facts), "2 fixed");
}

TEST(Ending, InPartIsFollowedByThatOfTheRest) {
  Record regression = regression_of(1.1, 1.095, 1.105);
  const auto part = ended_by({regression}, improvement_of(1 / 1.06, 1 / 1.065, 1 / 1.055), {});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->state, RecordState::partly_fixed);
  ASSERT_TRUE(part->remaining);
  EXPECT_NEAR(*part->remaining, 1.1 / 1.06, 1e-12);
  regression.remaining = part->remaining;
  regression.state = part->state;
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.038, 1 / 1.042, 1 / 1.034)), "0 fixed");
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.1, 1 / 1.105, 1 / 1.095)), "nothing")
      << "the size of all of it is more than what is left";
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.015, 1 / 1.018, 1 / 1.012)), "0 partly fixed 1.022")
      << "a part of the rest";
}

TEST(Ending, ComparesThroughputsAsCosts) {
  Record regression = regression_of(0.9, 0.89, 0.91);
  Record improvement = improvement_of(1 / 0.9, 1 / 0.91, 1 / 0.89);
  regression.metric = improvement.metric = {"throughput", "1/s", specs::Direction::higher_is_better};
  EXPECT_EQ(ending_of({regression}, improvement), "0 fixed");
  improvement.ratio = {1.5, 1.49, 1.51, 0.95};
  EXPECT_EQ(ending_of({regression}, improvement), "nothing");
  improvement.ratio = {1.05, 1.045, 1.055, 0.95};
  EXPECT_EQ(ending_of({regression}, improvement), "0 partly fixed 0.945");
}

TEST(Life, GainsOneEventAndItsState) {
  const Record before = tests::sample_regression();
  const Record after =
      with_event(before, {RecordState::recovered, some_day, "tandem", "why", std::string(40, '7')});
  EXPECT_EQ(after.state, RecordState::recovered);
  ASSERT_EQ(after.life.size(), before.life.size() + 1);
  EXPECT_EQ(after.life.back().state, RecordState::recovered);
  EXPECT_EQ(after.life.back().at, some_day);
  EXPECT_EQ(after.life.back().by, "tandem");
  EXPECT_EQ(after.life.back().reason, "why");
  EXPECT_EQ(after.life.back().commit, std::string(40, '7'));
  EXPECT_EQ(after.id, before.id);
}

/// What the wish makes of a record in this state, or "refused".
std::string wish_in(RecordState state, Wish wish, const std::string& reason = "a reason") {
  Record record = tests::sample_regression();
  record.state = state;
  try {
    return name_of(wished(record, wish, "ada", reason, some_day).state);
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(record.id)) << error.what();
    return "refused";
  }
}

TEST(AWish, IsGrantedOrRefusedByTheState) {
  struct Row {
    RecordState state;
    const char* acknowledged;
    const char* accepted;
    const char* false_alarm;
    const char* reopened;
  };
  const char* const no = "refused";
  const char* const accepted = "dismissed as accepted";
  const char* const alarm = "dismissed as false alarm";
  for (const Row& row :
       {Row{RecordState::open, "acknowledged", accepted, alarm, no},
        Row{RecordState::acknowledged, no, accepted, alarm, "open"},
        Row{RecordState::partly_fixed, "acknowledged", accepted, alarm, no},
        Row{RecordState::fixed, no, no, no, "open"}, Row{RecordState::recovered, no, no, no, "open"},
        Row{RecordState::accepted, no, no, no, "open"}, Row{RecordState::false_alarm, no, no, no, "open"},
        Row{RecordState::superseded, no, no, no, no}, Row{RecordState::noted, no, no, no, no}}) {
    SCOPED_TRACE(name_of(row.state));
    EXPECT_EQ(wish_in(row.state, Wish::acknowledge), row.acknowledged);
    EXPECT_EQ(wish_in(row.state, Wish::accept), row.accepted);
    EXPECT_EQ(wish_in(row.state, Wish::call_false_alarm), row.false_alarm);
    EXPECT_EQ(wish_in(row.state, Wish::reopen), row.reopened);
  }
}

TEST(AWish, NeedsAReasonToDismissOnly) {
  EXPECT_EQ(wish_in(RecordState::open, Wish::accept, ""), "refused");
  EXPECT_EQ(wish_in(RecordState::open, Wish::call_false_alarm, " \t\n"), "refused");
  EXPECT_EQ(wish_in(RecordState::open, Wish::acknowledge, ""), "acknowledged");
  EXPECT_EQ(wish_in(RecordState::fixed, Wish::reopen, ""), "open");
}

TEST(AWish, SaysWhoAndWhenAndWhy) {
  const LifeEvent event = wished(tests::sample_regression(), Wish::accept, "ada", "needed", some_day);
  EXPECT_EQ(event.by, "ada");
  EXPECT_EQ(event.reason, "needed");
  EXPECT_EQ(event.at, some_day);
  EXPECT_EQ(event.commit, "");
}

}  // namespace
}  // namespace tandem::daemon
