#include "daemon/records/life.hpp"

#include <gtest/gtest.h>

#include "daemon/report/sample_record.hpp"
#include "specs/foundation/error.hpp"

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

/// "1 named", "0 size", "0 alone" or "nothing".
std::string ending_of(const std::vector<Record>& alive, const Record& improvement,
                      const CommitFacts& facts = {}) {
  const auto ending = ended_by(alive, improvement, facts);
  if (!ending) return "nothing";
  EXPECT_FALSE(ending->reason.empty());
  return std::to_string(ending->which) + " " + name_of(ending->basis);
}

TEST(Ending, IsThatOfTheOnlyOneWhateverItsSize) {
  const Record regression = regression_of(1.1, 1.09, 1.11);
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "0 size");
  EXPECT_EQ(ending_of({regression}, improvement_of(1 / 1.02, 1 / 1.03, 1 / 1.01)), "0 alone");
  EXPECT_EQ(ending_of({regression}, improvement_of(0.5, 0.49, 0.51)), "0 alone");
  EXPECT_EQ(ending_of({}, improvement_of(0.95, 0.94, 0.96)), "nothing");
}

TEST(Ending, OfTheOnlyOneAllowsForSizesFoundAtDifferentMoments) {
  // One pair on one host: 7.6 % slower, and its fix 5.6 % faster.
  const Record seen = regression_of(1.076, 1.071, 1.079);
  EXPECT_EQ(ending_of({seen}, improvement_of(0.944, 0.943, 0.945)), "0 size");
  EXPECT_EQ(ending_of({regression_of(1.059, 1.058, 1.06)}, improvement_of(1 / 1.076, 1 / 1.079, 1 / 1.071)),
            "0 size");
  EXPECT_EQ(ending_of({regression_of(1.03, 1.028, 1.032)}, improvement_of(0.6, 0.59, 0.61)), "0 alone");
  Record part = regression_of(1.5, 1.49, 1.51);
  part.remaining = 1.03;
  EXPECT_EQ(ending_of({part}, improvement_of(1 / 1.03, 1 / 1.032, 1 / 1.028)), "0 size");
}

TEST(Ending, OfSeveralLetsTheIntervalsMeetWithinTheMargin) {
  // The margin is 1 %.
  const std::vector<Record> alive = {regression_of(1.5, 1.49, 1.51), regression_of(1.1, 1.09, 1.11)};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "1 size");
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.125, 1 / 1.13, 1 / 1.12)), "1 size");
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.075, 1 / 1.08, 1 / 1.07)), "1 size");
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.135, 1 / 1.14, 1 / 1.13)), "nothing");
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.065, 1 / 1.07, 1 / 1.06)), "nothing");
}

TEST(Ending, IsNoneWhereTwoFit) {
  const std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.08, 1.12)};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09)), "nothing");
}

TEST(Ending, PassesOverOtherMetricsAndBenchmarks) {
  Record memory = regression_of(1.1, 1.09, 1.11);
  memory.metric = {"memory", "B", specs::Direction::lower_is_better};
  Record other = regression_of(1.1, 1.09, 1.11);
  other.benchmark = "matmul";
  const Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  EXPECT_EQ(ending_of({memory, other}, improvement), "nothing");
  EXPECT_EQ(ending_of({memory, other, regression_of(1.1, 1.09, 1.11)}, improvement), "2 size");
  EXPECT_EQ(ending_of({memory, regression_of(1.2, 1.19, 1.21)}, improvement), "1 alone");
}

TEST(Ending, IsThatOfTheCommitThatTheMessageNames) {
  std::vector<Record> alive = {regression_of(1.1, 1.09, 1.11), regression_of(1.1, 1.09, 1.11)};
  alive[1].culprit = tests::sample_commit('5', "Another");
  const Record improvement = improvement_of(1 / 1.1, 1 / 1.11, 1 / 1.09);
  CommitFacts facts;
  facts.reverts = {"5555555"};
  EXPECT_EQ(ending_of(alive, improvement, facts), "1 named");
  facts.reverts = {"99999999", alive[0].culprit.id};
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 named");
  EXPECT_EQ(ending_of(alive, improvement_of(0.98, 0.97, 0.99), facts), "0 named") << "whatever the size";
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
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 named");
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
  EXPECT_EQ(ending_of(alive, improvement), "1 named");
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
  EXPECT_EQ(ending_of(alive, improvement, facts), "0 named");
  facts.reverse_patch_id = "patch";
  EXPECT_EQ(ending_of(alive, improvement, facts), "1 named");
  facts.reverts = {"33333333"};
  EXPECT_EQ(ending_of(alive, improvement, facts), "2 named");
}

TEST(Ending, OfOnePartlyFixedComparesWhatIsLeft) {
  Record part = regression_of(1.1, 1.095, 1.105);
  part.remaining = 1.038;
  const std::vector<Record> alive = {regression_of(1.5, 1.49, 1.51), part};
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.038, 1 / 1.042, 1 / 1.034)), "1 size");
  EXPECT_EQ(ending_of(alive, improvement_of(1 / 1.1, 1 / 1.105, 1 / 1.095)), "nothing")
      << "the size of all of it is more than what is left";
}

TEST(Ending, ComparesThroughputsAsCosts) {
  Record regression = regression_of(0.9, 0.89, 0.91);
  Record other = regression_of(0.5, 0.49, 0.51);
  Record improvement = improvement_of(1 / 0.9, 1 / 0.91, 1 / 0.89);
  regression.metric = other.metric =
      improvement.metric = {"throughput", "1/s", specs::Direction::higher_is_better};
  EXPECT_EQ(ending_of({other, regression}, improvement), "1 size");
  improvement.ratio = {1.5, 1.49, 1.51, 0.95};
  EXPECT_EQ(ending_of({other, regression}, improvement), "nothing");
}

FixTrial fix_of(FixOutcome outcome, double ratio = 1) {
  FixTrial fix;
  fix.commit = fix.treatment = std::string(40, '7');
  fix.outcome = outcome;
  fix.ratio = {ratio, ratio - 0.001, ratio + 0.001, 0.95};
  fix.at = some_day;
  fix.why = "its launches failed";
  return fix;
}

TEST(AfterAFix, TheStateIsWhatWasMeasured) {
  const Ending by_size{0, "a confirmed faster step", Ending::Basis::size};
  const Ending by_name{0, "its commit was reverted", Ending::Basis::named};
  Record regression = regression_of(1.1, 1.09, 1.11);
  EXPECT_EQ(after_fix(regression, fix_of(FixOutcome::gone), by_size).state, RecordState::fixed);
  const Record part = after_fix(regression, fix_of(FixOutcome::left, 1.03), by_name);
  EXPECT_EQ(part.state, RecordState::partly_fixed);
  EXPECT_EQ(part.remaining, 1.03);
  EXPECT_EQ(part.life.back().commit, std::string(40, '7'));
  const Record rest = after_fix(part, fix_of(FixOutcome::gone), by_size);
  EXPECT_EQ(rest.state, RecordState::fixed);
  EXPECT_FALSE(rest.remaining);
  EXPECT_EQ(after_fix(regression, fix_of(FixOutcome::hidden, 1.2), by_size).state, RecordState::open);
  EXPECT_EQ(after_fix(regression, fix_of(FixOutcome::hidden, 1.2), by_name).state, RecordState::fixed);
  regression.state = RecordState::acknowledged;
  EXPECT_EQ(after_fix(regression, fix_of(FixOutcome::not_measured), by_name).state,
            RecordState::acknowledged);
}

TEST(AfterAFix, FasterThanBeforeTheCulpritEndsItUnlessTheStepIsOfAnotherSize) {
  const Record before = regression_of(1.03, 1.028, 1.032);
  const FixTrial faster = fix_of(FixOutcome::faster, 0.62);
  EXPECT_EQ(after_fix(before, faster, {0, "reverted", Ending::Basis::named}).state, RecordState::fixed);
  EXPECT_EQ(after_fix(before, faster, {0, "faster", Ending::Basis::size}).state, RecordState::fixed);
  const Record unclear = after_fix(before, faster, {0, "faster", Ending::Basis::alone});
  EXPECT_EQ(unclear.state, RecordState::open);
  EXPECT_EQ(unclear.life.size(), before.life.size() + 1) << "the step is noted";
  EXPECT_EQ(unclear.fix->basis, FixBasis::alone);
  EXPECT_FALSE(is_fix_due(unclear, some_day + 365 * 86'400)) << "it was measured";
  const Ending alone{0, "a confirmed faster step", Ending::Basis::alone};
  EXPECT_EQ(after_fix(before, fix_of(FixOutcome::gone), alone).state, RecordState::fixed)
      << "back at what it cost before the culprit";
}

TEST(AfterAFix, ARepeatedMeasurementAddsNoEvent) {
  const Ending ending{0, "a confirmed faster step", Ending::Basis::size};
  const Record once = after_fix(regression_of(1.1, 1.09, 1.11), fix_of(FixOutcome::left, 1.03), ending);
  const Record twice = after_fix(once, fix_of(FixOutcome::left, 1.031), ending);
  EXPECT_EQ(twice.life.size(), once.life.size());
  EXPECT_EQ(twice.remaining, 1.031);
}

TEST(AfterAFix, IsTriedAgainAfterPausesThatGrowAndNotForEver) {
  const Ending ending{0, "a confirmed faster step", Ending::Basis::size};
  FixTrial fix = fix_of(FixOutcome::not_measured);
  Record record = after_fix(regression_of(1.1, 1.09, 1.11), fix, ending);
  const std::size_t events = record.life.size();
  std::vector<std::int64_t> pauses;
  while (is_fix_due(record, fix.at + 7 * 86'400) && fix.tries < 100) {
    std::int64_t hours = 0;
    while (!is_fix_due(record, fix.at + hours * 3600)) ++hours;
    pauses.push_back(hours);
    fix.at += hours * 3600;
    ++fix.tries;
    record = after_fix(record, fix, ending);
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{1, 4, 16, 24, 24}));
  EXPECT_EQ(record.state, RecordState::open);
  ASSERT_EQ(record.life.size(), events + 1);
  EXPECT_NE(record.life.back().reason.find("could not be measured in 6 tries: its launches failed"),
            std::string::npos)
      << record.life.back().reason;
}

TEST(AfterAFix, WhatIsNotKnownIsNotedOnce) {
  const Ending ending{0, "a confirmed faster step", Ending::Basis::size};
  const Record before = regression_of(1.1, 1.09, 1.11);
  const Record once = after_fix(before, fix_of(FixOutcome::not_measured), ending);
  EXPECT_EQ(once.life.size(), before.life.size() + 1);
  const Record twice = after_fix(once, fix_of(FixOutcome::not_measured), ending);
  EXPECT_EQ(twice.life.size(), once.life.size());
  EXPECT_EQ(after_fix(twice, fix_of(FixOutcome::gone), ending).state, RecordState::fixed);
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
