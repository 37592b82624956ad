// Histories in which commits do not build or do not run: each is a value, and the walk goes on.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/fake_history.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using tests::with_fate;
using Texts = std::vector<std::string>;
using Fate = FakeCommit::Fate;

TEST(Pipeline, SuspectsACommitThatDoesNotBuildTogetherWithTheNextOne) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1), with_fate("c2", Fate::does_not_build),
                 at_cost("c3", 1.1), at_cost("c4", 1.1)});
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression open work c3 (c1..c3) 1.100 or c2"}));
  EXPECT_NEAR(walk.store->records({}).front().culprit_probability, 0.5, 0.005);
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0",
                                    "c3 work slower against c0", "c4 work unchanged against c3"}));
  EXPECT_EQ(walk.store->failed_builds(walk.settings.key, 9).size(), 1u);
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1", "c2", "c3", "c4"})) << "a commit that does not build is done";
}

TEST(Pipeline, GoesOnAfterACommitThatCrashesAtStart) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", Fate::crashes_at_start), at_cost("c2", 1)});
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work treatment_fails against c0", "c2 work unchanged against c0"}))
      << "a program that does not start has not lost its benchmarks";
  EXPECT_TRUE(walk.records().empty());
}

TEST(Pipeline, GoesOnAfterACommitThatCrashesInItsLaunches) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", Fate::crashes_in_launches), at_cost("c2", 1)});
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work treatment_fails against c0", "c2 work unchanged against c0"}));
  EXPECT_NE(walk.store->verdicts(walk.settings.key, "c1").front().note.find("Segmentation fault"),
            std::string::npos);
  EXPECT_TRUE(walk.records().empty());
}

TEST(Pipeline, NotesASuspectThatCrashesInItsSecondTrial) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), at_cost("c2", 1)});
  walk.runner.fails = [](const Call& call) -> std::optional<runners::RunFailure> {
    const bool second_trial = call.treatment == "c1" && call.count >= 9;
    return second_trial ? std::optional(tests::crash_of(runners::Side::treatment)) : std::nullopt;
  };
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"could not be confirmed noted work c1 (c0..c1) 1.000"}));
  const Record record = walk.store->records({}).front();
  EXPECT_TRUE(record.confirmation.units.empty());
  EXPECT_NE(record.confirmation.failure.find("Segmentation fault"), std::string::npos);
  ASSERT_EQ(walk.store->waiting_requests().size(), 1u) << "it is tried again";
  EXPECT_EQ(walk.store->waiting_requests().front().record, record.id);
  EXPECT_TRUE(std::isinf(record.ratio.high)) << "nothing was measured, so nothing is excluded";
  EXPECT_EQ(walk.level(), "");
}

TEST(Pipeline, SuspectsACommitThatCrashesTogetherWithTheNextOne) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", Fate::crashes_in_launches), at_cost("c2", 1.1)});
  walk.examine();
  EXPECT_EQ(walk.records(), (Texts{"regression open work c2 (c0..c2) 1.100 or c1"}));
}

TEST(Pipeline, NotesThatABenchmarkVanishedAfterItHadFailed) {
  FakeWalk walk({{"c0", {{"a", 1}, {"b", 1}}}, {"c1", {{"a", 1}, {"b", 1}}}, {"c2", {{"b", 1}}}});
  walk.runner.fails = [](const Call& call) -> std::optional<runners::RunFailure> {
    const bool fails = call.kind == Call::Kind::launch && call.treatment == "c1" && call.benchmark == "a";
    return fails ? std::optional(tests::crash_of(runners::Side::treatment)) : std::nullopt;
  };
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 a new", "c0 b new", "c1 a treatment_fails against c0", "c1 b unchanged against c0",
                   "c2 b unchanged against c0", "c2 a missing against c1"}));
}

TEST(BrokenGround, IsPassedOnAndNothingIsMarkedDone) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1)});
  walk.examine({0});
  walk.builder.before_call = [] { throw Error("the disk is full"); };
  EXPECT_THROW(walk.examine({1}), Error);
  EXPECT_EQ(walk.done(), (Texts{"c0"}));
  walk.builder.before_call = nullptr;
  walk.examine({1});
  EXPECT_EQ(walk.verdicts().back(), "c1 work unchanged against c0");
  EXPECT_EQ(walk.done(), (Texts{"c0", "c1"}));
}

TEST(BrokenGround, OfAFullDiskIsNotHeldAgainstTheCommit) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", Fate::meets_a_full_disk)});
  EXPECT_THROW(walk.examine(), Error);
  EXPECT_EQ(walk.done(), (Texts{"c0"}));
  EXPECT_TRUE(walk.store->failed_builds(walk.settings.key, 9).empty());
  walk.commits["c1"].fate = Fate::runs;
  walk.examine({1});
  EXPECT_EQ(walk.verdicts().back(), "c1 work unchanged against c0");
}

TEST(Pipeline, PutsABuildFailureIntoTheStatus) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", Fate::does_not_build)});
  walk.examine();
  ASSERT_EQ(walk.status.failed_builds.size(), 1u);
  EXPECT_EQ(walk.status.failed_builds.front().commit, "c1");
  ASSERT_EQ(walk.status.last_verdicts.size(), 1u);
  EXPECT_EQ(walk.status.last_verdicts.front().outcome, "new");
}

}  // namespace
}  // namespace tandem::daemon
