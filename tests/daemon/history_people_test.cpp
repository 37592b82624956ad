// Histories in which people have their say: dismissals, and branches that are rewritten.
#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

FakeCommit with_patch(FakeCommit commit, std::string patch) {
  commit.patch = std::move(patch);
  return commit;
}

TEST(DismissedHistory, StaysQuietAboutWhatWasAccepted) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1.1)});
  walk.examine({0, 1});
  walk.say(Wish::accept, "c1", "the price of a safer parser");
  walk.examine({2, 3});
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work slower against c0",
                                    "c2 work unchanged against c1", "c3 work unchanged against c1"}));
  EXPECT_EQ(walk.records(), (Texts{"regression dismissed as accepted work c1 (c0..c1) 1.100"}));
  EXPECT_EQ(walk.level(), "c1");
}

TEST(DismissedHistory, FallsBackToTheLevelBeforeAFalseAlarm) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1), at_cost("c3", 1.1)});
  // Something on the host slows c1 down as long as it is the newest.
  bool disturbed = true;
  walk.runner.log_ratio = [&, truth = walk.runner.log_ratio](const Call& call) {
    return truth(call) + (disturbed && call.treatment == "c1" && call.control != "c1" ? 0.1 : 0.0);
  };
  walk.examine({0, 1});
  EXPECT_EQ(walk.level(), "c1");
  disturbed = false;
  walk.say(Wish::call_false_alarm, "c1", "the fan was broken");
  EXPECT_EQ(walk.level(), "");
  walk.examine({2, 3});
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work slower against c0",
                                    "c2 work unchanged against c0", "c3 work slower against c0"}));
  EXPECT_EQ(walk.records(), (Texts{"regression dismissed as false alarm work c1 (c0..c1) 1.105",
                                   "regression open work c3 (c2..c3) 1.100"}));
}

TEST(DismissedHistory, IsNotToldAgainOfAFalseAlarmThatIsStillThere) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1.1)});
  walk.examine({0, 1});
  walk.say(Wish::call_false_alarm, "c1", "I do not believe it");
  walk.examine({2, 3});
  EXPECT_EQ(walk.records(), (Texts{"regression dismissed as false alarm work c1 (c0..c1) 1.100"}));
}

TEST(DismissedHistory, GoesOnWithARegressionThatWasReopened) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1.1), at_cost("c3", 1)});
  walk.examine({0, 1});
  walk.say(Wish::accept, "c1");
  walk.examine({2});
  walk.say(Wish::reopen, "c1", "it costs too much after all");
  EXPECT_EQ(walk.records(), (Texts{"regression open work c1 (c0..c1) 1.100"}));
  walk.examine({3});
  EXPECT_EQ(walk.records(), (Texts{"regression fixed work c1 (c0..c1) 1.100 fixed by c3",
                                   "improvement noted work c3 (c2..c3) 0.909"}));
  std::vector<RecordState> states;
  for (const LifeEvent& event : walk.record(RecordKind::regression, "c1").life) states.push_back(event.state);
  EXPECT_EQ(states,
            (std::vector{RecordState::open, RecordState::accepted, RecordState::open, RecordState::fixed}));
}

TEST(DismissedHistory, DoesNotEndWhatWasAcceptedWithAnImprovement) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)});
  walk.examine({0, 1});
  walk.say(Wish::accept, "c1");
  walk.examine({2});
  EXPECT_EQ(walk.records(), (Texts{"regression dismissed as accepted work c1 (c0..c1) 1.100",
                                   "improvement noted work c2 (c1..c2) 0.909"}));
}

TEST(DismissedHistory, EndsWhatWasAcknowledged) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)});
  walk.examine({0, 1});
  walk.say(Wish::acknowledge, "c1");
  EXPECT_EQ(walk.records(), (Texts{"regression acknowledged work c1 (c0..c1) 1.100"}));
  walk.examine({2});
  EXPECT_EQ(walk.records().front(), "regression fixed work c1 (c0..c1) 1.100 fixed by c2");
}

class RewrittenHistory : public testing::Test {
 protected:
  RewrittenHistory() { walk_.examine(); }
  FakeWalk walk_{{at_cost("c0", 1), with_patch(at_cost("c1", 1), "p1"), with_patch(at_cost("c2", 1.1), "p2"),
                  with_patch(at_cost("c3", 1.1), "p3")}};
};

TEST_F(RewrittenHistory, KeepsARegressionWhosePatchIsStillThere) {
  const std::string before = walk_.record(RecordKind::regression, "c2").id;
  walk_.rewrite({at_cost("c0", 1), with_patch(at_cost("d1", 1), "p1b"), with_patch(at_cost("d2", 1.1), "p2"),
                 with_patch(at_cost("d3", 1.1), "p3")});
  EXPECT_EQ(walk_.records(), (Texts{"regression superseded work c2 (c1..c2) 1.100",
                                    "regression open work d2 (c1..c2) 1.100"}));
  walk_.examine({1, 2, 3});
  EXPECT_EQ(walk_.records(),
            (Texts{"regression superseded work c2 (c1..c2) 1.100", "regression open work d2 (c1..c2) 1.100"}))
      << "it is known already, and not told again";
  const Record after = walk_.record(RecordKind::regression, "d2");
  EXPECT_EQ(after.id, record_id(walk_.settings.key, "work", "time", "d2"));
  EXPECT_NE(after.id, before);
  EXPECT_EQ(walk_.level(), "d2");
  EXPECT_EQ(walk_.store->verdicts(walk_.settings.key, "d3").front().control, "d2");
}

TEST_F(RewrittenHistory, FixesWhatWasCarriedOver) {
  walk_.rewrite({at_cost("c0", 1), with_patch(at_cost("d2", 1.1), "p2"), at_cost("d3", 1)});
  walk_.examine({1, 2});
  EXPECT_EQ(walk_.records(), (Texts{"regression superseded work c2 (c1..c2) 1.100",
                                    "regression fixed work d2 (c1..c2) 1.100 fixed by d3",
                                    "improvement noted work d3 (d2..d3) 0.909"}));
}

TEST_F(RewrittenHistory, DropsARegressionWhoseCommitIsGone) {
  walk_.rewrite({at_cost("c0", 1), with_patch(at_cost("d1", 1), "p1"), with_patch(at_cost("d3", 1), "p3")});
  EXPECT_EQ(walk_.records(), (Texts{"regression superseded work c2 (c1..c2) 1.100"}));
  walk_.examine({1, 2});
  EXPECT_EQ(walk_.records(), (Texts{"regression superseded work c2 (c1..c2) 1.100"}));
  EXPECT_EQ(walk_.level(), "");
  EXPECT_EQ(walk_.store->verdicts(walk_.settings.key, "d3").front().control, "c0");
}

TEST_F(RewrittenHistory, ComesBackWithARewriteThatIsTakenBack) {
  const std::vector<FakeCommit> first = {at_cost("c0", 1), with_patch(at_cost("c1", 1), "p1"),
                                         with_patch(at_cost("c2", 1.1), "p2"),
                                         with_patch(at_cost("c3", 1.1), "p3")};
  walk_.rewrite({at_cost("c0", 1), with_patch(at_cost("d2", 1.1), "p2")});
  walk_.examine({1});
  walk_.rewrite(first);
  EXPECT_EQ(walk_.records(), (Texts{"regression open work c2 (c1..c2) 1.100",
                                    "regression superseded work d2 (c1..c2) 1.100"}));
  EXPECT_EQ(walk_.level(), "c2");
}

TEST_F(RewrittenHistory, KeepsADismissalOfAPatchThatIsStillThere) {
  walk_.say(Wish::accept, "c2");
  walk_.rewrite(
      {at_cost("c0", 1), with_patch(at_cost("d2", 1.1), "p2"), with_patch(at_cost("d3", 1.1), "p3")});
  walk_.examine({1, 2});
  EXPECT_EQ(walk_.records(), (Texts{"regression superseded work c2 (c1..c2) 1.100",
                                    "regression dismissed as accepted work d2 (c1..c2) 1.100"}));
}

}  // namespace
}  // namespace tandem::daemon
