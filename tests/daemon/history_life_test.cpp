// Histories of one benchmark whose level goes up and down: which commit is named, and what ends a regression.
#include <gtest/gtest.h>

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
        History{"fixed_by_size_alone",
                {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.43), at_cost("c3", 1.3)},
                {"c0 work new", "c1 work slower against c0", "c2 work slower against c1",
                 "c3 work faster against c2"},
                {"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
                 "regression open work c2 (c1..c2) 1.300", "improvement noted work c3 (c2..c3) 0.909"},
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
        // A step larger than all that is open has done something else as well.
        History{"an_improvement_larger_than_what_is_open",
                {at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 0.8)},
                {"c0 work new", "c1 work slower against c0", "c2 work faster against c1"},
                {"regression open work c1 (c0..c1) 1.100", "improvement noted work c2 (c1..c2) 0.727"},
                "c2"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(LifeHistory, TellsWhyARegressionEnded) {
  FakeWalk walk({at_cost("c0", 1), with_patch(at_cost("c1", 1.1), "p1"), at_cost("c2", 1.1),
                 undoing(at_cost("c3", 1), "p1")});
  walk.examine({0, 1, 2});
  walk.now += 3600;
  walk.examine({3});
  const auto life = walk.record(RecordKind::regression, "c1").life;
  ASSERT_EQ(life.size(), 2u);
  EXPECT_EQ(life[1].reason, "the opposite of its change");
  EXPECT_EQ(life[1].by, "tandem");
  EXPECT_EQ(life[1].at, walk.now);
}

}  // namespace
}  // namespace tandem::daemon
