// Histories of what is no change of a commit: luck of layouts, disturbances, noise; and the margins that
// follow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

FakeCommit shipped_at(std::string id, double factor) {
  FakeCommit commit = at_cost(std::move(id), 1);
  commit.shipped = factor;
  return commit;
}

TEST(LayoutHistory, NotesADisturbanceOnce) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1), at_cost("c3", 1)});
  // As long as c1 is screened, something disturbs it.
  walk.runner.log_ratio = [](const Call& call) {
    return call.control == "c0" && call.treatment == "c1" && call.count < 9 ? 0.1 : 0.0;
  };
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"not reproduced noted work c1 (c0..c1) 1.000"}));
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work slower against c0",
                                    "c2 work unchanged against c0", "c3 work unchanged against c0"}));
  EXPECT_EQ(walk.level(), "");
}

/// The build of c2 has bad luck with its layout, and so have those that the screen draws from; no other.
class ShippedLayout : public testing::Test {
 protected:
  static std::vector<FakeCommit> history(std::size_t slow_up_to, double factor) {
    std::vector<FakeCommit> commits;
    for (std::size_t i = 0; i < 13; ++i) {
      commits.push_back(shipped_at(fmt::format("c{}", i), i >= 2 && i <= slow_up_to ? factor : 1));
    }
    commits[2].first_layouts = 1.1;
    return commits;
  }
};

TEST_F(ShippedLayout, IsNotedAndScreenedWithMoreLayoutsFromThenOn) {
  FakeWalk walk(history(2, 1.1));
  walk.builder.layouts = true;
  walk.examine({0, 1, 2, 3});
  EXPECT_EQ(walk.records(), (Texts{"layout noted work c2 (c0..c2) 1.000"}));
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0",
                                    "c2 work slower against c0", "c3 work unchanged against c0"}));
  EXPECT_EQ(walk.level(), "");
  std::map<std::string, std::uint64_t> most;
  for (const auto& [commit, seed] : walk.builder.relinked) {
    if (seed < 1000) most[commit] = std::max(most[commit], seed);
  }
  EXPECT_EQ(most["c1"], 4u);
  EXPECT_EQ(most["c2"], 4u);
  EXPECT_EQ(most["c3"], 8u);
  EXPECT_EQ(walk.record(RecordKind::layout, "c2").sightings.size(), 1u);
}

TEST_F(ShippedLayout, IsOpenedWhenItHasBeenSlowForEightCommits) {
  FakeWalk walk(history(12, 1.05));
  walk.builder.layouts = true;
  walk.examine({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(walk.records(), (Texts{"layout noted work c2 (c0..c2) 1.000"})) << "seven commits after c2";
  walk.examine({10});
  const Record record = walk.record(RecordKind::layout, "c2");
  EXPECT_EQ(record.state, RecordState::open);
  EXPECT_EQ(record.life.back().commit, "c10");
  EXPECT_EQ(record.sightings.size(), 8u);
  walk.examine({11, 12});
  EXPECT_EQ(walk.store->records({}).size(), 1u);
  EXPECT_EQ(walk.record(RecordKind::layout, "c2").life.size(), 2u) << "it is opened once";
}

TEST_F(ShippedLayout, IsOpenedWithTheRatioOfTheShippedLayout) {
  FakeWalk walk(history(12, 1.05));
  walk.builder.layouts = true;
  walk.examine({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(walk.records(), (Texts{"layout open work c2 (c0..c2) 1.050"}));
}

TEST_F(ShippedLayout, StaysANoteWhenItIsOnlyALittleSlow) {
  FakeWalk walk(history(12, 1.015));  // twice the margin is 2 %
  walk.builder.layouts = true;
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"layout noted work c2 (c0..c2) 1.000"}));
  EXPECT_EQ(walk.record(RecordKind::layout, "c2").sightings.size(), 10u);
}

TEST_F(ShippedLayout, StaysANoteWhenItPasses) {
  FakeWalk walk(history(8, 1.05));
  walk.builder.layouts = true;
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"layout noted work c2 (c0..c2) 1.000"}));
}

TEST(MarginHistory, DoesNotRunWhatCannotBeMeasuredAndSaysSoOnce) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.5), at_cost("c3", 1)});
  walk.calibrate("work", 0.05);
  walk.examine();
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unmeasurable against c0",
                                    "c2 work unmeasurable against c0", "c3 work unmeasurable against c0"}));
  EXPECT_TRUE(walk.runner.launches().empty());
  EXPECT_TRUE(walk.records().empty());
  ASSERT_EQ(walk.status.last_verdicts.size(), 2u) << "new, and once that it cannot be measured";
  EXPECT_EQ(walk.status.last_verdicts.front().commit, "c1");
  // A quieter host measures it again.
  walk.calibrate("work", 0.002);
  walk.rewrite(
      {at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.5), at_cost("c3", 1), at_cost("c4", 1.1)});
  walk.examine({4});
  EXPECT_EQ(walk.records(), (Texts{"regression open work c4 (c3..c4) 1.100"}));
}

TEST(MarginHistory, RisesWithTheLayoutSpread) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.015), at_cost("c3", 1.015 * 1.03),
                 at_cost("c4", 1.015 * 1.03)});
  walk.builder.layouts = true;
  walk.sigma = 0.002;
  walk.calibrate("work", 0.002, 0.01);
  walk.examine({0, 1, 2});
  EXPECT_TRUE(walk.records().empty()) << "1.5 % is less than the margin of 2 %";
  walk.examine({3, 4});
  const Record record = walk.record(RecordKind::regression, "c3");
  EXPECT_DOUBLE_EQ(record.margin, 0.02);
  EXPECT_EQ(record.margin_why, "twice the layout spread of 1.00 %");
  EXPECT_NEAR(record.ratio.estimate, 1.03, 0.002) << "against the commit before it";
  EXPECT_EQ(walk.store->records({}).size(), 1u);
}

TEST(MarginHistory, OfTheSameStepWithoutASpreadIsAsConfigured) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.015)});
  walk.builder.layouts = true;
  walk.sigma = 0.002;
  walk.calibrate("work", 0.002, 0.001);
  walk.examine();
  const Record record = walk.record(RecordKind::regression, "c2");
  EXPECT_DOUBLE_EQ(record.margin, 0.01);
  EXPECT_EQ(record.margin_why, "as configured");
}

TEST(MarginHistory, TellsWhenItFallsAgain) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1), at_cost("c3", 1), at_cost("c4", 1)});
  const auto told = [&] {
    std::vector<std::string> sentences;
    for (const auto& event : walk.store->newest_events(9))
      sentences.push_back(event.kind + ": " + event.sentence);
    return sentences;
  };
  walk.examine({0, 1});
  walk.calibrate("work", 0.001, 0.01);
  walk.examine({2});
  EXPECT_TRUE(told().empty()) << "a margin that rises stands in the records";
  walk.calibrate("work", 0.001, 0.006);
  walk.examine({3});
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told().front(),
            "margin: the margin of work goes from 2.0 % down to 1.2 %: twice the layout spread of 0.60 %");
  walk.examine({4});
  EXPECT_EQ(told().size(), 1u);
}

}  // namespace
}  // namespace tandem::daemon
