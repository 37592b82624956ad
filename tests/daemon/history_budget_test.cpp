// Histories in which one commit has more suspects than there is time for.
#include <gtest/gtest.h>

#include <thread>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

std::vector<FakeCommit> three_suspects() {
  return {{"c0", {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}},
          {"c1", {{"a", 1.1}, {"b", 1.5}, {"c", 0.8}, {"d", 1}}}};
}

TEST(BudgetHistory, PostponesEverythingWithoutTimeAndServesItLater) {
  FakeWalk walk(three_suspects());
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"postponed noted b c1 (..) 1.000", "postponed noted c c1 (..) 1.000",
                                   "postponed noted a c1 (..) 1.000"}));
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1"}));
  EXPECT_EQ(walk.store->waiting_requests().size(), 3u);
  EXPECT_EQ(walk.level("b"), "");
  walk.serve();
  EXPECT_EQ(walk.records(),
            (Texts{"regression open b c1 (c0..c1) 1.500", "improvement noted c c1 (c0..c1) 0.800",
                   "regression open a c1 (c0..c1) 1.100"}));
  EXPECT_TRUE(walk.store->waiting_requests().empty());
  EXPECT_EQ(walk.level("b"), "c1");
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 a new", "c0 b new", "c0 c new", "c0 d new", "c1 d unchanged against c0",
                   "c1 b slower against c0", "c1 c faster against c0", "c1 a slower against c0"}));
}

TEST(BudgetHistory, RecordsAPostponedSuspectOnceThoughTheNextCommitFindsItFirst) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1)});
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine({0, 1});
  walk.settings.confirmation_time = std::chrono::hours{1};
  walk.restart();
  walk.examine({2});
  EXPECT_EQ(walk.records(), (Texts{"regression open work c1 (c0..c1) 1.100"}));
  walk.serve();
  EXPECT_EQ(walk.records(), (Texts{"regression open work c1 (c0..c1) 1.100"}));
  EXPECT_EQ(walk.level(), "c2");
}

TEST(BudgetHistory, TakesAPostponedSuspectBackThatIsNotSeenAgain) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"postponed noted work c1 (..) 1.000"}));
  walk.commits.at("c1").costs["work"] = 1;
  walk.serve();
  ASSERT_EQ(walk.store->records({}).size(), 1u);
  EXPECT_EQ(walk.store->records({}).front().kind, RecordKind::not_reproduced);
}

TEST(BudgetHistory, EndsThePostponedNoteWhenAnotherCommitIsTheCulprit) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1.1)});
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine({0, 3});
  EXPECT_EQ(walk.records(), (Texts{"postponed noted work c3 (..) 1.000"}));
  walk.serve();
  EXPECT_EQ(walk.record(RecordKind::postponed, "c3").state, RecordState::superseded) << "it waits no more";
  EXPECT_EQ(walk.record(RecordKind::regression, "c1").state, RecordState::open);
  EXPECT_EQ(walk.level(), "c3");
}

TEST(BudgetHistory, ServesTheLargestEffectFirst) {
  constexpr std::chrono::seconds budget{2};
  FakeWalk walk(three_suspects());
  walk.settings.confirmation_time = budget;
  walk.runner.before_call = [&] {
    // The first confirmation uses all of it up.
    const auto& call = walk.runner.calls.back();
    const bool screened = walk.store->verdicts(walk.settings.key, "c1").size() == 1;
    if (screened && call.benchmark == "b" && call.count == 20) std::this_thread::sleep_for(budget);
  };
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression open b c1 (c0..c1) 1.500", "postponed noted c c1 (..) 1.000",
                                   "postponed noted a c1 (..) 1.000"}));
  EXPECT_EQ(walk.store->waiting_requests().size(), 2u);
}

TEST(BudgetHistory, GivesTheBenchmarksOfACommitOneIncidentAndQValues) {
  FakeWalk walk(three_suspects());
  walk.examine();
  EXPECT_EQ(walk.records(),
            (Texts{"regression open b c1 (c0..c1) 1.500", "improvement noted c c1 (c0..c1) 0.800",
                   "regression open a c1 (c0..c1) 1.100"}));
  const auto records = walk.store->records({});
  ASSERT_EQ(records.size(), 3u);
  for (const Record& record : records) {
    EXPECT_EQ(record.incident, records.front().incident);
    EXPECT_GT(record.q_value, 0);
    EXPECT_LE(record.q_value, 4.0 / 75) << "three of four tests; of the four averaged, one is at least 100";
  }
}

TEST(BudgetHistory, GivesAMetricWithoutEvidenceNoQValue) {
  std::vector<FakeCommit> history = {at_cost("c0", 1), at_cost("c1", 1.1)};
  history[0].beside = {{"size", 1000}};
  history[1].beside = {{"size", 2000}};
  FakeWalk walk(history);
  specs::Metric size{"size", "B"};
  size.tolerance = 0.01;
  walk.rules = {{"size", size}};
  walk.examine();
  const auto records = walk.store->records({});
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].metric.name, "size");
  EXPECT_EQ(records[0].q_value, 1);
  EXPECT_LE(records[1].q_value, 0.08) << "one of two tests; of the four averaged, one is at least 100";
}

}  // namespace
}  // namespace tandem::daemon
