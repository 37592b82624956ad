// Commits that need no measuring because what they run was judged before.
#include "daemon/walk/identical.hpp"

#include <gtest/gtest.h>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::at_cost;
using tests::FakeCommit;
using tests::FakeWalk;
using Texts = std::vector<std::string>;

FakeCommit with_content(std::string id, double cost, std::string content) {
  FakeCommit commit = at_cost(std::move(id), cost);
  commit.content = std::move(content);
  return commit;
}

TEST(Identical, ACommitLikeAnyThatWasFoundUnchangedInheritsItsVerdict) {
  FakeWalk walk({with_content("c0", 1, "a"), with_content("c1", 1, "b"), with_content("c2", 1, "c"),
                 with_content("c3", 1, "b")});
  walk.examine();
  EXPECT_EQ(walk.verdicts(), (Texts{"c0 work new", "c1 work unchanged against c0",
                                    "c2 work unchanged against c0", "c3 work identical against c0"}));
  EXPECT_EQ(walk.runner.launches_of("c0", "c3"), 0u);
  EXPECT_EQ(walk.store->verdicts(walk.settings.key, "c3").front().note,
            "to c1, unchanged against the same control");
}

TEST(Identical, ARevertOfARegressionIsMeasuredAgainstTheNewLevel) {
  FakeWalk walk({with_content("c0", 1, "a"), with_content("c1", 1, "b"), with_content("c2", 1.1, "c"),
                 with_content("c3", 1, "b")});
  walk.examine();
  EXPECT_EQ(walk.verdicts().back(), "c3 work faster against c2");
  EXPECT_EQ(walk.records().front(), "regression fixed work c2 (c1..c2) 1.100 fixed by c3");
}

TEST(Identical, WhatWasInconclusiveIsMeasuredAgainForItsTwin) {
  FakeWalk walk({with_content("c0", 1, "a"), with_content("c1", 1, "b"), with_content("c2", 1, "b")});
  walk.settings.max_launches = 1;
  walk.examine();
  EXPECT_EQ(walk.verdicts(),
            (Texts{"c0 work new", "c1 work inconclusive against c0", "c2 work inconclusive against c0"}));
}

TEST(Identical, AnotherMetricThatIsUnchangedSaysNothingAboutTheTime) {
  FakeWalk walk({with_content("c0", 1, "a"), with_content("c1", 1.1, "b"), with_content("c2", 1, "a"),
                 with_content("c3", 1.1, "b")});
  specs::Metric memory{"peak_memory", "B"};
  memory.tolerance = 0.05;
  walk.runner.further = {{memory, 0.0}};
  walk.examine();
  EXPECT_EQ(walk.records().size(), 3u) << "slower, fixed, slower again";
}

TEST(Identical, OtherArgumentsMakeAnotherIdentity) {
  builders::Executable executable;
  executable.fingerprint = "f";
  daemon::Test test;
  test.commands = {{"{program}", "--fast"}};
  daemon::Test other = test;
  other.environment = {"OMP_NUM_THREADS=2"};
  EXPECT_EQ(identity_of(executable, {test}), identity_of(executable, {test}));
  EXPECT_NE(identity_of(executable, {test}), identity_of(executable, {other}));
  test.commands = {{"{program}", "--slow"}};
  EXPECT_NE(identity_of(executable, {test}), identity_of(executable, {other}));
}

}  // namespace
}  // namespace tandem::daemon
