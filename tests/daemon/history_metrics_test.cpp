// Histories of metrics with a rule of their own: each has a level, culprits and a life beside the time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

constexpr double kilobytes = 1000;

FakeCommit commit_of(std::string id, double time, double size, double memory = 1) {
  FakeCommit commit = tests::at_cost(std::move(id), time);
  commit.beside = {{"size", size * kilobytes}, {"peak_memory", memory * kilobytes}};
  return commit;
}

specs::Metric with_tolerance(const char* name, double tolerance) {
  specs::Metric metric{name, "B"};
  metric.tolerance = tolerance;
  return metric;
}

class MetricHistory : public testing::Test {
 protected:
  static void give_rules(FakeWalk& walk) {
    walk.rules = {{"size", with_tolerance("size", 0.01)},
                  {"peak_memory", with_tolerance("peak_memory", 0.05)}};
  }
  static Texts walked(const std::vector<FakeCommit>& history, const std::vector<std::size_t>& examined = {}) {
    FakeWalk walk(history);
    give_rules(walk);
    walk.examine(examined);
    Texts records = walk.records();
    std::sort(records.begin(), records.end());  // those of one commit have no order
    return records;
  }
};

TEST_F(MetricHistory, OfSizeHasALevelOfItsOwn) {
  FakeWalk walk({commit_of("c0", 1, 1), commit_of("c1", 1, 1), commit_of("c2", 1, 1.1),
                 commit_of("c3", 1, 1.1), commit_of("c4", 1, 1.1)});
  give_rules(walk);
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression open work size c2 (c1..c2) 1.100"}));
  EXPECT_EQ(walk.level("work", "size"), "c2");
  EXPECT_EQ(walk.level("work"), "");
  std::map<std::string, std::string> controls;
  for (const auto& verdict : walk.store->verdicts(walk.settings.key, "c4")) {
    EXPECT_EQ(verdict.outcome, analysis::Outcome::unchanged) << verdict.metric.name;
    controls[verdict.metric.name] = verdict.control;
  }
  EXPECT_EQ(controls,
            (std::map<std::string, std::string>{{"time", "c0"}, {"peak_memory", "c0"}, {"size", "c2"}}));
  const Record record = walk.record(RecordKind::regression, "c2");
  EXPECT_TRUE(record.confirmation.exact);
}

TEST_F(MetricHistory, OfSizeIsEndedByTheCommitThatUndoesIt) {
  EXPECT_EQ(walked({commit_of("c0", 1, 1), commit_of("c1", 1, 1.1), commit_of("c2", 1, 1.1),
                    commit_of("c3", 1, 1), commit_of("c4", 1, 1)}),
            (Texts{"improvement noted work size c3 (c2..c3) 0.909",
                   "regression fixed work size c1 (c0..c1) 1.100 fixed by c3"}));
}

TEST_F(MetricHistory, OfSizeIsPartlyUndone) {
  EXPECT_EQ(walked({commit_of("c0", 1, 1), commit_of("c1", 1, 1.5), commit_of("c2", 1, 1.2)}),
            (Texts{"improvement noted work size c2 (c1..c2) 0.800",
                   "regression partly fixed work size c1 (c0..c1) 1.500 1.200 left"}));
}

TEST_F(MetricHistory, OfSizeFindsItsCulpritAmongStepsOver) {
  std::vector<FakeCommit> history;
  for (std::size_t i = 0; i < 9; ++i) history.push_back(commit_of(fmt::format("c{}", i), 1, i < 5 ? 1 : 1.1));
  EXPECT_EQ(walked(history, {0, 8}), (Texts{"regression open work size c5 (c4..c5) 1.100"}));
}

TEST_F(MetricHistory, OfSizeFindsTwoCulpritsAmongStepsOver) {
  std::vector<FakeCommit> history;
  for (std::size_t i = 0; i < 9; ++i) {
    history.push_back(commit_of(fmt::format("c{}", i), 1, i < 3 ? 1 : i < 6 ? 1.1 : 1.21));
  }
  EXPECT_EQ(walked(history, {0, 8}), (Texts{"regression open work size c3 (c2..c3) 1.100",
                                            "regression open work size c6 (c5..c6) 1.100"}));
}

TEST_F(MetricHistory, OfMemoryAndTimeInOneCommitIsOneIncident) {
  FakeWalk walk({commit_of("c0", 1, 1), commit_of("c1", 1.1, 1, 1.2), commit_of("c2", 1.1, 1, 1.2)});
  give_rules(walk);
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression open work peak_memory c1 (c0..c1) 1.200",
                                   "regression open work c1 (c0..c1) 1.100"}));
  const auto records = walk.store->records({});
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].incident, records[1].incident);
  EXPECT_NE(records[0].id, records[1].id);
}

TEST_F(MetricHistory, OfTimeAndSizeEndOneAfterTheOther) {
  EXPECT_EQ(
      walked(
          {commit_of("c0", 1, 1), commit_of("c1", 1.2, 1.1), commit_of("c2", 1, 1.1), commit_of("c3", 1, 1)}),
      (Texts{"improvement noted work c2 (c1..c2) 0.833", "improvement noted work size c3 (c2..c3) 0.909",
             "regression fixed work c1 (c0..c1) 1.200 fixed by c2",
             "regression fixed work size c1 (c0..c1) 1.100 fixed by c3"}));
}

TEST_F(MetricHistory, OfSizeIsNotHiddenByALaterLevelOfTheTime) {
  // The time's level is c1; the size grows at c2 and is back at c3.
  EXPECT_EQ(walked({commit_of("c0", 1, 1), commit_of("c1", 1.1, 1), commit_of("c2", 1.1, 1.1),
                    commit_of("c3", 1.1, 1)}),
            (Texts{"improvement noted work size c3 (c2..c3) 0.909",
                   "regression fixed work size c2 (c1..c2) 1.100 fixed by c3",
                   "regression open work c1 (c0..c1) 1.100"}));
}

TEST_F(MetricHistory, WithinItsToleranceIsQuiet) {
  EXPECT_EQ(
      walked({commit_of("c0", 1, 1, 1), commit_of("c1", 1, 1.005, 1.04), commit_of("c2", 1, 1.0, 0.97)}),
      Texts{});
}

}  // namespace
}  // namespace tandem::daemon
