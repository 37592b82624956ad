#include "daemon/service/watch_walk.hpp"

#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"
#include "daemon/service/building.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::Call;
using tests::FakeCommit;
using tests::FakeWalk;
using tests::with_fate;

int code_of(const FakeWalk& walk, const std::string& tip) {
  return code_of_tip(*walk.store, walk.settings.key, tip);
}

TEST(CodeOfTip, IsZeroWhereNothingIsSlower) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1)});
  EXPECT_EQ(code_of(walk, "c1"), 4) << "nothing is known of it yet";
  walk.examine();
  EXPECT_EQ(code_of(walk, "c1"), 0);
}

TEST(CodeOfTip, IsOneWhileARegressionIsOpen) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1), with_fate("c2", FakeCommit::Fate::does_not_build)});
  walk.examine();
  EXPECT_EQ(code_of(walk, "c2"), 1);
}

TEST(CodeOfTip, IsFourWhereTheTipWasNotBuiltOrMeasured) {
  FakeWalk walk({at_cost("c0", 1), with_fate("c1", FakeCommit::Fate::does_not_build),
                 with_fate("c2", FakeCommit::Fate::crashes_in_launches)});
  walk.examine();
  EXPECT_EQ(code_of(walk, "c0"), 0);
  EXPECT_EQ(code_of(walk, "c1"), 4);
  EXPECT_EQ(code_of(walk, "c2"), 4);
}

TEST(CodeOfTip, IsFourWhereASuspectInItCouldNotBeConfirmed) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.runner.fails = [](const Call& call) -> std::optional<runners::RunFailure> {
    const bool second_trial = call.treatment == "c1" && call.count >= 9;
    return second_trial ? std::optional(tests::crash_of(runners::Side::treatment)) : std::nullopt;
  };
  walk.examine();
  ASSERT_EQ(walk.record(RecordKind::unconfirmed, "c1").state, RecordState::noted);
  EXPECT_EQ(code_of(walk, "c1"), 4);
  EXPECT_EQ(code_of(walk, "c0"), 0);
}

TEST(CodeOfTip, IsThreeWhileASuspectInItWaitsForItsConfirmation) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine();
  EXPECT_EQ(code_of(walk, "c1"), 3);
  walk.serve();
  EXPECT_EQ(code_of(walk, "c1"), 1);
}

TEST(CodeOfTip, IsZeroWhereASuspectInItIsNotSeenAgain) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.settings.confirmation_time = std::chrono::seconds{0};
  walk.examine();
  walk.commits.at("c1").costs["work"] = 1;
  walk.serve();
  EXPECT_EQ(code_of(walk, "c1"), 0);
}

TEST(BuildSettingsOfAWatch, GiveItACcacheOfItsOwn) {
  config::Settings settings;
  settings.state_dir = "/state";
  const Installation installation;
  const Isolation isolation;
  const auto ccache_of = [&](const char* name) {
    config::WatchSettings watch;
    watch.name = name;
    return build_settings({settings, watch, installation, isolation, "/mirror", {}, {}}, "linux").ccache_dir;
  };
  EXPECT_EQ(ccache_of("one"), ccache_of("one"));
  EXPECT_NE(ccache_of("one"), ccache_of("other"));
}

TEST(MissingPatches, AreGivenAsSoonAsTheCommitCanBeRead) {
  FakeWalk walk({at_cost("c0", 1), at_cost("c1", 1.1)});
  walk.examine();
  const auto give = [&](const std::function<std::string(const std::string&)>& patch_of) {
    give_missing_patches(*walk.store, walk.publisher, walk.settings.key, patch_of);
    return walk.record(RecordKind::regression, "c1").culprit_patch;
  };
  EXPECT_THROW(give([](const std::string&) -> std::string { throw Error("damaged"); }), Error);
  EXPECT_EQ(give([](const std::string&) { return std::string(); }), "") << "the mirror does not have it now";
  EXPECT_EQ(give([](const std::string& commit) { return "patch of " + commit; }), "patch of c1");
  EXPECT_EQ(give([](const std::string&) { return std::string("another"); }), "patch of c1");
}

}  // namespace
}  // namespace tandem::daemon
