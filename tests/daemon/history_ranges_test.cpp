// Histories that the walk steps over: what lies between two examined commits is searched.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;
using Fate = FakeCommit::Fate;

/// One commit per cost: c0, c1, …
std::vector<FakeCommit> at_costs(const std::vector<double>& costs) {
  std::vector<FakeCommit> history;
  for (const double cost : costs) history.push_back(at_cost(fmt::format("c{}", history.size()), cost));
  return history;
}

std::vector<FakeCommit> without(std::vector<FakeCommit> history, std::size_t broken) {
  history.at(broken).fate = Fate::does_not_build;
  return history;
}

struct History {
  const char* name;
  std::vector<FakeCommit> commits;
  std::vector<std::size_t> examined;
  Texts verdicts;
  Texts records;
};

class RangeHistory : public testing::TestWithParam<History> {};

TEST_P(RangeHistory, IsToldExactly) {
  const History& history = GetParam();
  FakeWalk walk(history.commits);
  walk.examine(history.examined);
  EXPECT_EQ(walk.verdicts(), history.verdicts);
  EXPECT_EQ(walk.records(), history.records);
  for (const Record& record : walk.store->records({})) {
    EXPECT_EQ(record.incident, record_id(walk.settings.key, {}, {}, record.treatment.id));
  }
  EXPECT_TRUE(walk.status.search.empty()) << "the search is over";
}

INSTANTIATE_TEST_SUITE_P(
    Table, RangeHistory,
    testing::Values(
        History{"one_culprit_among_eight",
                at_costs({1, 1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}),
                {0, 8, 9},
                {"c0 work new", "c8 work slower against c0", "c9 work unchanged against c8"},
                {"regression open work c6 (c5..c6) 1.100"}},
        History{"two_culprits_of_one_size",
                at_costs({1, 1, 1, 1.1, 1.1, 1.1, 1.21, 1.21, 1.21, 1.21}),
                {0, 8, 9},
                {"c0 work new", "c8 work slower against c0", "c9 work unchanged against c8"},
                {"regression open work c3 (c2..c3) 1.100", "regression open work c6 (c5..c6) 1.100"}},
        History{"a_small_culprit_and_a_large_one",
                at_costs({1, 1, 1.04, 1.04, 1.04, 1.04, 1.04, 1.3, 1.3}),
                {0, 8},
                {"c0 work new", "c8 work slower against c0"},
                {"regression open work c2 (c1..c2) 1.040", "regression open work c7 (c6..c7) 1.250"}},
        History{"a_large_culprit_and_a_small_one",
                at_costs({1, 1, 1.25, 1.25, 1.25, 1.25, 1.25, 1.3, 1.3}),
                {0, 8},
                {"c0 work new", "c8 work slower against c0"},
                {"regression open work c2 (c1..c2) 1.250", "regression open work c7 (c6..c7) 1.040"}},
        History{"neighbouring_culprits",
                at_costs({1, 1, 1, 1, 1.1, 1.21, 1.21, 1.21, 1.21}),
                {0, 8},
                {"c0 work new", "c8 work slower against c0"},
                {"regression open work c4 (c3..c4) 1.100", "regression open work c5 (c4..c5) 1.100"}},
        History{"a_culprit_that_was_undone_inside_the_range",
                at_costs({1, 1, 1, 1.1, 1.1, 1, 1, 1, 1}),
                {0, 8},
                {"c0 work new", "c8 work unchanged against c0"},
                {}},
        History{"small_steps_of_which_none_is_the_culprit",
                at_costs({1, 1, 1.012, 1.012, 1.012, 1.012, 1.024, 1.024, 1.024, 1.024}),
                {0, 8, 9},
                {"c0 work new", "c8 work slower against c0", "c9 work unchanged against c8"},
                {"accumulated open work c8 (c0..c8) 1.024"}},
        History{"a_culprit_that_may_be_one_that_does_not_build",
                without(at_costs({1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}), 4),
                {0, 8},
                {"c0 work new", "c8 work slower against c0"},
                {"regression open work c5 (c3..c5) 1.100 or c4"}},
        History{"a_broken_commit_that_has_nothing_to_do_with_it",
                without(at_costs({1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}), 2),
                {0, 8},
                {"c0 work new", "c8 work slower against c0"},
                {"regression open work c5 (c4..c5) 1.100"}},
        History{"an_improvement_between_that_ends_a_regression",
                at_costs({1, 1.1, 1.1, 1.1, 1.1, 1, 1, 1, 1}),
                {0, 1, 8},
                {"c0 work new", "c1 work slower against c0", "c8 work faster against c1"},
                {"regression fixed work c1 (c0..c1) 1.100 fixed by c5",
                 "improvement noted work c5 (c4..c5) 0.909"}},
        History{"a_step_and_a_larger_one_the_other_way",
                at_costs({1, 1, 0.9, 0.9, 0.9, 0.9, 0.95, 0.95, 0.95}),
                {0, 8},
                {"c0 work new", "c8 work faster against c0"},
                {"improvement noted work c2 (c1..c2) 0.900", "regression open work c6 (c5..c6) 1.056"}},
        // Half of it at c3, the other half at c6: together they have ended it.
        History{"two_improvements_between_that_end_a_regression_together",
                at_costs({1, 1.2, 1.2, 1.08, 1.08, 1.08, 1, 1, 1}),
                {0, 1, 8},
                {"c0 work new", "c1 work slower against c0", "c8 work faster against c1"},
                {"regression fixed work c1 (c0..c1) 1.200 fixed by c6",
                 "improvement noted work c3 (c2..c3) 0.900", "improvement noted work c6 (c5..c6) 0.926"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(RangeHistory, TellsHowTheCulpritWasFound) {
  FakeWalk walk(at_costs({1, 1, 1, 1, 1, 1, 1.1, 1.1, 1.1}));
  walk.examine({0, 8});
  const Record record = walk.record(RecordKind::regression, "c6");
  EXPECT_EQ(record.search.commits, 8u);
  EXPECT_GE(record.search.measurements, 3u);
  EXPECT_LE(record.search.measurements, 30u);
  EXPECT_GE(record.culprit_probability, 0.99);
  EXPECT_EQ(record.control.id, "c0");
  EXPECT_EQ(record.treatment.id, "c8");
}

TEST(RangeHistory, AsksTheFilesOfACommitBeforeItMeasures) {
  // Both are equally slow and cannot be told apart by size; only where it looks first depends on the facts.
  FakeWalk walk(at_costs({1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}));
  for (const char* id : {"c1", "c2", "c3", "c4", "c6", "c7", "c8"}) walk.commits.at(id).files = {"README.md"};
  walk.commits.at("c5").files = {"gemm.cpp"};
  walk.examine({0, 8});
  EXPECT_EQ(walk.records(), (Texts{"regression open work c5 (c4..c5) 1.100"}));
  FakeWalk unaware(at_costs({1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1}));
  unaware.examine({0, 8});
  EXPECT_LT(walk.record(RecordKind::regression, "c5").search.measurements,
            unaware.record(RecordKind::regression, "c5").search.measurements);
}

}  // namespace
}  // namespace tandem::daemon
