// Histories in which weeks end, commits are broken, and benchmarks come and go.
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using tests::with_fate;
using Texts = std::vector<std::string>;
using Fate = FakeCommit::Fate;

FakeCommit in_week(std::int64_t week, FakeCommit commit) {
  commit.days = 7 * week;
  return commit;
}

FakeCommit of_version(double version, FakeCommit commit) {
  commit.beside["version"] = version;
  return commit;
}

struct History {
  const char* name;
  std::vector<FakeCommit> commits;
  Texts verdicts;
  Texts records;
};

class WeekHistory : public testing::TestWithParam<History> {};

TEST_P(WeekHistory, IsToldExactly) {
  const History& history = GetParam();
  FakeWalk walk(history.commits);
  walk.examine();
  EXPECT_EQ(walk.verdicts(), history.verdicts);
  EXPECT_EQ(walk.records(), history.records);
}

INSTANTIATE_TEST_SUITE_P(
    Table, WeekHistory,
    testing::Values(
        History{
            "slower_since_the_first_commit_of_a_week",
            {at_cost("c0", 1), at_cost("c1", 1), in_week(1, at_cost("c2", 1.1)),
             in_week(1, at_cost("c3", 1.1)), in_week(2, at_cost("c4", 1.1)), in_week(2, at_cost("c5", 1.1))},
            {"c0 work new", "c1 work unchanged against c0", "c2 work slower against c0",
             "c3 work unchanged against c2", "c4 work unchanged against c2", "c5 work unchanged against c4"},
            {"regression open work c2 (c1..c2) 1.100"}},
        History{"slower_since_the_last_commit_of_a_week",
                {at_cost("c0", 1), at_cost("c1", 1.1), in_week(1, at_cost("c2", 1.1)),
                 in_week(1, at_cost("c3", 1.1))},
                {"c0 work new", "c1 work slower against c0", "c2 work unchanged against c1",
                 "c3 work unchanged against c2"},
                {"regression open work c1 (c0..c1) 1.100"}},
        History{"the_first_commit_of_a_week_does_not_build",
                {at_cost("c0", 1), at_cost("c1", 1), in_week(1, with_fate("c2", Fate::does_not_build)),
                 in_week(1, at_cost("c3", 1)), in_week(1, at_cost("c4", 1))},
                {"c0 work new", "c1 work unchanged against c0", "c3 work unchanged against c0",
                 "c4 work unchanged against c3"},
                {}},
        History{"the_first_commit_of_a_week_crashes",
                {at_cost("c0", 1), at_cost("c1", 1), in_week(1, with_fate("c2", Fate::crashes_in_launches)),
                 in_week(1, at_cost("c3", 1)), in_week(1, at_cost("c4", 1.1))},
                {"c0 work new", "c1 work unchanged against c0", "c2 work treatment_fails against c0",
                 "c3 work unchanged against c0", "c4 work slower against c3"},
                {"regression open work c4 (c3..c4) 1.100"}},
        History{"weeks_without_a_commit_that_builds",
                {at_cost("c0", 1), in_week(1, with_fate("c1", Fate::does_not_build)),
                 in_week(2, with_fate("c2", Fate::does_not_build)), in_week(3, at_cost("c3", 1.1)),
                 in_week(3, at_cost("c4", 1.1))},
                {"c0 work new", "c3 work slower against c0", "c4 work unchanged against c3"},
                {"regression open work c3 (c0..c3) 1.100 or c1 or c2"}},
        History{"a_regression_behind_a_commit_that_does_not_build",
                {at_cost("c0", 1), at_cost("c1", 1), with_fate("c2", Fate::does_not_build),
                 at_cost("c3", 1.1), at_cost("c4", 1.1)},
                {"c0 work new", "c1 work unchanged against c0", "c3 work slower against c0",
                 "c4 work unchanged against c3"},
                {"regression open work c3 (c1..c3) 1.100 or c2"}},
        History{
            "a_fix_behind_a_commit_that_does_not_build",
            {at_cost("c0", 1), at_cost("c1", 1.1), with_fate("c2", Fate::does_not_build), at_cost("c3", 1)},
            {"c0 work new", "c1 work slower against c0", "c3 work faster against c1"},
            {"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
             "improvement noted work c3 (c1..c3) 0.909 or c2"}},
        History{
            "failures_of_one_side_in_the_middle_of_a_regression",
            {at_cost("c0", 1), at_cost("c1", 1.1), with_fate("c2", Fate::crashes_in_launches),
             at_cost("c3", 1.1), with_fate("c4", Fate::crashes_at_start), at_cost("c5", 1), at_cost("c6", 1)},
            {"c0 work new", "c1 work slower against c0", "c2 work treatment_fails against c1",
             "c3 work unchanged against c1", "c4 work treatment_fails against c1",
             "c5 work faster against c1", "c6 work unchanged against c5"},
            {"regression fixed work c1 (c0..c1) 1.100 fixed by c5",
             "improvement noted work c5 (c3..c5) 0.909 or c4"}},
        History{"a_benchmark_that_goes_and_comes_back_slower",
                {{"c0", {{"a", 1}, {"b", 1}}},
                 {"c1", {{"a", 1}}},
                 {"c2", {{"a", 1}, {"b", 1.1}}},
                 {"c3", {{"a", 1}, {"b", 1.1}}}},
                {"c0 a new", "c0 b new", "c1 a unchanged against c0", "c1 b missing against c0",
                 "c2 a unchanged against c0", "c2 b slower against c0", "c3 a unchanged against c0",
                 "c3 b unchanged against c2"},
                {"regression open b c2 (c0..c2) 1.100 or c1"}},
        History{"a_new_benchmark_in_the_middle_of_a_week",
                {{"c0", {{"a", 1}}}, {"c1", {{"a", 1.1}, {"b", 1}}}, {"c2", {{"a", 1.1}, {"b", 1.1}}}},
                {"c0 a new", "c1 b new", "c1 a slower against c0", "c2 a unchanged against c1",
                 "c2 b slower against c1"},
                {"regression open a c1 (c0..c1) 1.100", "regression open b c2 (c1..c2) 1.100"}},
        History{"another_version_of_a_benchmark",
                {of_version(1, at_cost("c0", 1)), of_version(1, at_cost("c1", 1)),
                 of_version(2, at_cost("c2", 3)), of_version(2, at_cost("c3", 3)),
                 of_version(2, at_cost("c4", 3.3))},
                {"c0 work new", "c1 work unchanged against c0", "c2 work redefined against c0",
                 "c3 work unchanged against c2", "c4 work slower against c2"},
                {"regression open work c4 (c3..c4) 1.100"}},
        History{"another_version_after_a_regression",
                {of_version(1, at_cost("c0", 1)), of_version(1, at_cost("c1", 1.1)),
                 of_version(2, at_cost("c2", 2)), of_version(2, at_cost("c3", 2))},
                {"c0 work new", "c1 work slower against c0", "c2 work redefined against c1",
                 "c3 work unchanged against c2"},
                {"regression open work c1 (c0..c1) 1.100"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(WeekHistory, BeginsAnewWithAnotherSpec) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 2), at_cost("c3", 2), at_cost("c4", 2.2)});
  walk.examine({0, 1});
  walk.settings.tests.front().environment = {"ROWS=2000"};
  walk.restart();
  walk.examine({2, 3, 4});
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0", "c2 work redefined",
                                    "c3 work unchanged against c2", "c4 work slower against c2"}));
  EXPECT_EQ(walk.records(), (Texts{"regression open work c4 (c3..c4) 1.100"}));
}

TEST(WeekHistory, DoesNotStopForAControlThatNoLongerBuilds) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)});
  walk.examine({0, 1});
  walk.commits.at("c1").fate = Fate::does_not_build;
  EXPECT_TRUE(walk.examine_one(2)) << "nobody asked it to stop";
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1", "c2"}));
}

}  // namespace
}  // namespace tandem::daemon
