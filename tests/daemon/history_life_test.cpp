// Histories of one benchmark whose level goes up and down: which commit is named, and what ends a regression.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

FakeCommit with_patch(FakeCommit commit, std::string patch) {
  commit.patch = std::move(patch);
  return commit;
}

FakeCommit undoing(FakeCommit commit, std::string patch) {
  commit.undoes = std::move(patch);
  return commit;
}

FakeCommit reverting(FakeCommit commit, std::string id) {
  commit.reverts = {std::move(id)};
  return commit;
}

struct History {
  const char* name;
  std::vector<FakeCommit> commits;
  Texts verdicts;
  Texts records;
  const char* level;
};

class LifeHistory : public testing::TestWithParam<History> {};

TEST_P(LifeHistory, IsToldExactly) {
  const History& history = GetParam();
  FakeWalk walk(history.commits);
  walk.examine();
  EXPECT_EQ(walk.verdicts(), history.verdicts);
  EXPECT_EQ(walk.records(), history.records);
  EXPECT_EQ(walk.level(), history.level);
}

INSTANTIATE_TEST_SUITE_P(
    Table, LifeHistory,
    testing::Values(
        History{"one_regression",
                {at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.05), at_cost("c3", 1.05)},
                {"c0 work new", "c1 work unchanged against c0", "c2 work slower against c0",
                 "c3 work unchanged against c2"},
                {"regression open work c2 (c1..c2) 1.050"},
                "c2"},
        // Both are of one size, so that only the message tells which of them it was.
        History{"fixed_by_a_revert_that_names_it",
                {at_cost("c0", 1), at_cost("c1aaaaaa", 1.1), at_cost("c2bbbbbb", 1.21),
                 reverting(at_cost("c3", 1.1), "c1aaaaaa")},
                {"c0 work new", "c1aaaaaa work slower against c0", "c2bbbbbb work slower against c1aaaaaa",
                 "c3 work faster against c2bbbbbb"},
                {"regression fixed work c1aaaaaa (c0..c1aaaaaa) 1.100 fixed by c3",
                 "regression open work c2bbbbbb (c1aaaaaa..c2bbbbbb) 1.100",
                 "improvement noted work c3 (c2bbbbbb..c3) 0.909"},
                "c3"},
        History{
            "fixed_by_the_opposite_patch_under_another_subject",
            {at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), with_patch(at_cost("c2", 1.21), "p2"),
             undoing(at_cost("c3", 1.1), "p2")},
            {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
             "c3 work faster against c2"},
            {"regression open work c1 (c0..c1) 1.100", "regression fixed work c2 (c1..c2) 1.100 fixed by c3",
             "improvement noted work c3 (c2..c3) 0.909"},
            "c3"},
        // Its size says which one is meant, but what is left of it cannot be seen behind the later one.
        History{"a_later_regression_hides_what_is_left",
                {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.43), at_cost("c3", 1.3)},
                {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
                 "c3 work faster against c2"},
                {"regression open work c1 (c0..c1) 1.100", "regression open work c2 (c1..c2) 1.300",
                 "improvement noted work c3 (c2..c3) 0.909"},
                "c3"},
        History{"two_open_of_which_either_may_have_been_undone",
                {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.21), at_cost("c3", 1.1)},
                {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
                 "c3 work faster against c2"},
                {"regression open work c1 (c0..c1) 1.100", "regression open work c2 (c1..c2) 1.100",
                 "improvement noted work c3 (c2..c3) 0.909"},
                "c3"},
        History{"partly_fixed",
                {at_cost("c0", 1), at_cost("c1", 1.2), at_cost("c2", 1.08), at_cost("c3", 1.08)},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1",
                 "c3 work unchanged against c2"},
                {"regression partly fixed work c1 (c0..c1) 1.200 1.080 left",
                 "improvement noted work c2 (c1..c2) 0.900"},
                "c2"},
        History{"partly_fixed_and_then_the_rest",
                {at_cost("c0", 1), at_cost("c1", 1.2), at_cost("c2", 1.08), at_cost("c3", 1)},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1",
                 "c3 work faster against c2"},
                {"regression fixed work c1 (c0..c1) 1.200 fixed by c3",
                 "improvement noted work c2 (c1..c2) 0.900", "improvement noted work c3 (c2..c3) 0.926"},
                "c3"},
        History{
            "overlapping_regressions_fixed_in_the_order_they_came",
            {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.32), at_cost("c3", 1.2), at_cost("c4", 1)},
            {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
             "c3 work faster against c2", "c4 work faster against c3"},
            {"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
             "regression fixed work c2 (c1..c2) 1.200 fixed by c4",
             "improvement noted work c3 (c2..c3) 0.909", "improvement noted work c4 (c3..c4) 0.833"},
            "c4"},
        History{
            "overlapping_regressions_fixed_in_the_other_order",
            {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.32), at_cost("c3", 1.1), at_cost("c4", 1)},
            {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
             "c3 work faster against c2", "c4 work faster against c3"},
            {"regression fixed work c1 (c0..c1) 1.100 fixed by c4",
             "regression fixed work c2 (c1..c2) 1.200 fixed by c3",
             "improvement noted work c3 (c2..c3) 0.833", "improvement noted work c4 (c3..c4) 0.909"},
            "c4"},
        History{"an_improvement_and_then_a_regression",
                {at_cost("c0", 1), at_cost("c1", 0.9), at_cost("c2", 0.99), at_cost("c3", 0.99)},
                {"c0 work new", "c1 work faster against c0", "c2 work slower against c1",
                 "c3 work unchanged against c2"},
                {"improvement noted work c1 (c0..c1) 0.900", "regression open work c2 (c1..c2) 1.100"},
                "c2"},
        History{"an_improvement_that_is_reverted",
                {at_cost("c0", 1), with_patch(at_cost("c1aaaaaa", 0.9), "p1"),
                 undoing(reverting(at_cost("c2", 1), "c1aaaaaa"), "p1"), at_cost("c3", 1)},
                {"c0 work new", "c1aaaaaa work faster against c0", "c2 work slower against c1aaaaaa",
                 "c3 work unchanged against c2"},
                {"improvement noted work c1aaaaaa (c0..c1aaaaaa) 0.900",
                 "regression open work c2 (c1aaaaaa..c2) 1.111"},
                "c2"},
        History{"a_regression_that_comes_again_after_its_fix",
                {at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), undoing(at_cost("c2", 1), "p1"),
                 with_patch(at_cost("c3", 1.1), "p1")},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1",
                 "c3 work slower against c2"},
                {"regression fixed work c1 (c0..c1) 1.100 fixed by c2",
                 "improvement noted work c2 (c1..c2) 0.909", "regression open work c3 (c2..c3) 1.100"},
                "c3"},
        // The second time is undone too, and that ends the second record, not the first once more.
        History{"a_regression_that_came_again_and_is_undone_again",
                {at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), undoing(at_cost("c2", 1), "p1"),
                 with_patch(at_cost("c3", 1.1), "p1"), undoing(at_cost("c4", 1), "p1")},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1",
                 "c3 work slower against c2", "c4 work faster against c3"},
                {"regression fixed work c1 (c0..c1) 1.100 fixed by c2",
                 "improvement noted work c2 (c1..c2) 0.909",
                 "regression fixed work c3 (c2..c3) 1.100 fixed by c4",
                 "improvement noted work c4 (c3..c4) 0.909"},
                "c4"},
        // Whatever made this step, it is not the end of a change of 3 %, whose code may well be there.
        History{"an_improvement_much_larger_than_what_is_open",
                {at_cost("c0", 1), at_cost("c1", 1.03), at_cost("c2", 0.618)},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1"},
                {"regression open work c1 (c0..c1) 1.030", "improvement noted work c2 (c1..c2) 0.600"},
                "c2"},
        History{"a_revert_that_brings_something_else_as_well",
                {at_cost("c0", 1), with_patch(at_cost("c1aaaaaa", 1.03), "p1"),
                 reverting(at_cost("c2", 0.618), "c1aaaaaa")},
                {"c0 work new", "c1aaaaaa work slower against c0", "c2 work faster against c1aaaaaa"},
                {"regression fixed work c1aaaaaa (c0..c1aaaaaa) 1.030 fixed by c2",
                 "improvement noted work c2 (c1aaaaaa..c2) 0.600"},
                "c2"},
        // The first faster step is of another size, the second could be the fix.
        History{"a_fix_after_another_improvement",
                {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 0.77), at_cost("c3", 0.7)},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1",
                 "c3 work faster against c2"},
                {"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
                 "improvement noted work c2 (c1..c2) 0.700", "improvement noted work c3 (c2..c3) 0.909"},
                "c3"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(LifeHistory, TellsWhyARegressionEnded) {
  FakeWalk walk({at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), at_cost("c2", 1.1),
                 undoing(at_cost("c3", 1), "p1")});
  walk.examine({0, 1, 2});
  walk.now += 3600;
  walk.examine({3});
  const auto life = walk.record(RecordKind::regression, "c1").life;
  ASSERT_EQ(life.size(), 2u);
  EXPECT_EQ(
      life[1].reason,
      "the opposite of its change; measured against the commit before the culprit, nothing is left of it");
  EXPECT_EQ(life[1].by, "tandem");
  EXPECT_EQ(life[1].at, walk.now);
}

/// The host lets the slower code cost more in the week of the regression than in that of its fix.
void change_host_between(FakeWalk& walk, double first, double second) {
  walk.runner.log_ratio = [&walk, first, second](const tests::Call& call) {
    const auto cost = [&](const std::string& commit) {
      if (commit != "c1") return walk.commits.at(commit).costs.at("work");
      return call.treatment == "c1" ? first : second;
    };
    return std::log(cost(call.treatment) / cost(call.control));
  };
}

TEST(AFix, IsMeasuredAgainstTheCulpritsParentWhateverTheTwoSizesWere) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1)});
  change_host_between(walk, 1.076, 1 / (1 - 0.056));
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression fixed work c1 (c0..c1) 1.076 fixed by c2",
                                   "improvement noted work c2 (c1..c2) 0.944"}));
  const Record record = walk.record(RecordKind::regression, "c1");
  ASSERT_TRUE(record.fix);
  EXPECT_EQ(record.fix->control, "c0");
  EXPECT_EQ(record.fix->treatment, "c2");
  EXPECT_EQ(record.fix->outcome, FixOutcome::gone);
  EXPECT_FALSE(record.remaining);
}

TEST(AFix, ThatSeemsToUndoAllIsPartialWhereSomethingIsMeasuredToBeLeft) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.03)});
  change_host_between(walk, 1.06, 1.03 * 1.06);
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression partly fixed work c1 (c0..c1) 1.060 1.030 left",
                                   "improvement noted work c2 (c1..c2) 0.943"}));
  const Record record = walk.record(RecordKind::regression, "c1");
  ASSERT_TRUE(record.fix);
  EXPECT_NEAR(record.fix->ratio.estimate, 1.03, 1e-6);
  EXPECT_LE(record.fix->ratio.low, record.fix->ratio.estimate);
}

TEST(AFix, EvenByARevertIsPartialWhereSomethingIsMeasuredToBeLeft) {
  FakeWalk walk({at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), undoing(at_cost("c2", 1.04), "p1")});
  walk.examine();
  EXPECT_EQ(walk.records().front(), "regression partly fixed work c1 (c0..c1) 1.100 1.040 left");
}

TEST(AFix, IsNotClaimedWhereItCannotBeMeasured) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)});
  walk.runner.fails = [](const tests::Call& call) -> std::optional<runners::RunFailure> {
    const bool fix = call.control == "c0" && call.treatment == "c2";
    return fix && call.kind == tests::Call::Kind::launch
               ? std::optional(tests::crash_of(runners::Side::control))
               : std::nullopt;
  };
  walk.examine();
  EXPECT_EQ(walk.records(),
            (Texts{"regression open work c1 (c0..c1) 1.100", "improvement noted work c2 (c1..c2) 0.909"}));
  const Record record = walk.record(RecordKind::regression, "c1");
  ASSERT_TRUE(record.fix);
  EXPECT_EQ(record.fix->outcome, FixOutcome::not_measured);
  EXPECT_FALSE(record.fix->why.empty());
  EXPECT_EQ(record.life.back().commit, "c2");
  EXPECT_FALSE(record.remaining);
  EXPECT_FALSE(is_fix_due(record, walk.now));
  EXPECT_TRUE(is_fix_due(record, walk.now + 3600));
}

TEST(AFix, IsNotClaimedWhereTheMeasurementDidNotDecide) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.5), at_cost("c2", 1)});
  walk.sigma = 0.04;  // no 66 launches prove a change of less than 1 %, while 50 % is seen at once
  walk.examine();
  const Record record = walk.record(RecordKind::regression, "c1");
  EXPECT_EQ(record.state, RecordState::open);
  ASSERT_TRUE(record.fix);
  EXPECT_EQ(record.fix->outcome, FixOutcome::not_measured);
}

TEST(AFix, ThatIsInterruptedStoresNothingAndIsMeasuredAgain) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)});
  walk.examine({0, 1});
  std::stop_source stop;
  walk.runner.before_call = [&] {
    const bool fix = !walk.runner.calls.empty() && walk.runner.calls.back().control == "c0" &&
                     walk.runner.calls.back().treatment == "c2";
    if (fix) stop.request_stop();
  };
  EXPECT_FALSE(walk.examine_one(2, stop.get_token()));
  EXPECT_EQ(walk.records(), (Texts{"regression open work c1 (c0..c1) 1.100"}));
  walk.runner.before_call = {};
  EXPECT_TRUE(walk.examine_one(2));
  EXPECT_EQ(walk.records().front(), "regression fixed work c1 (c0..c1) 1.100 fixed by c2");
}

}  // namespace
}  // namespace tandem::daemon
