// The walk steps over commits, and the culprit lies among them.
#include <fmt/format.h>
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

/// Nine commits of which every fourth is examined.
std::vector<FakeCommit> nine(std::size_t slower_from) {
  std::vector<FakeCommit> history;
  for (std::size_t i = 0; i < 9; ++i) {
    history.push_back(at_cost(fmt::format("c{}", i), i < slower_from ? 1.0 : 1.1));
  }
  return history;
}
const std::vector<std::size_t> every_fourth = {0, 4, 8};

class CulpritAmongUntested : public testing::TestWithParam<std::size_t> {};

TEST_P(CulpritAmongUntested, IsFoundByHalving) {
  const std::size_t culprit = GetParam();
  FakeWalk walk(nine(culprit));
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(),
            (Texts{fmt::format("regression open work c{} (c{}..c{}) 1.100", culprit, culprit - 1, culprit)}));
  EXPECT_EQ(walk.level(), culprit <= 4 ? "c4" : "c8") << "later commits are compared with the new level";
  EXPECT_EQ(walk.store->records({}).front().treatment.id, walk.level());
  EXPECT_EQ(walk.done(), (Texts{"c0", "c4", "c8"}));
}

INSTANTIATE_TEST_SUITE_P(EachOfThem, CulpritAmongUntested, testing::Range<std::size_t>(1, 9));

TEST(Culprit, IsSharedWithThoseThatDoNotBuild) {
  auto history = nine(7);
  history[6].fate = Fate::does_not_build;
  history[2].fate = Fate::does_not_build;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(), (Texts{"regression open work c7 (c5..c7) 1.100 or c6"}));
}

TEST(Culprit, IsSharedWithThoseThatCrash) {
  auto history = nine(7);
  history[6].fate = Fate::crashes_in_launches;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(), (Texts{"regression open work c7 (c5..c7) 1.100 or c6"}));
}

TEST(Culprit, IsSharedWithThoseThatLackTheBenchmark) {
  auto history = nine(7);
  history[5].costs = history[6].costs = {{"other", 1.0}};
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records().front(), "regression open work c7 (c4..c7) 1.100 or c5 or c6");
}

TEST(Culprit, IsTheExaminedCommitWhenNoneBetweenBuilds) {
  auto history = nine(5);
  for (const std::size_t at : {5, 6, 7}) history[at].fate = Fate::does_not_build;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  ASSERT_EQ(walk.records().size(), 1u);
  const Record record = walk.store->records({}).front();
  EXPECT_EQ(record.culprit.id, "c8");
  EXPECT_EQ(record.co_suspects.size(), 3u);
  EXPECT_NEAR(record.culprit_probability, 0.25, 0.0025);
}

TEST(Culprit, IsARangeWhereUntestedStepsAddUp) {
  // The bar is 2 %: 2.4 % from end to end, and nowhere more than 1.2 % at once.
  auto history = nine(9);
  for (const std::size_t at : {5, 6}) history[at].costs["work"] = 1.012;
  for (const std::size_t at : {7, 8}) history[at].costs["work"] = 1.024;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(), (Texts{"accumulated open work c8 (c4..c8) 1.024"}));
  EXPECT_EQ(walk.level(), "c8");
}

TEST(Culprit, OfAnImprovementIsFoundToo) {
  auto history = nine(9);
  for (const std::size_t at : {6, 7, 8}) history[at].costs["work"] = 0.8;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(), (Texts{"improvement noted work c6 (c5..c6) 0.800"}));
}

TEST(Culprit, BesideACommitUndoneAgainIsTheStepThatStayed) {
  // Slower at c5, faster at c6, slower at c7: whatever is named must be a real step against its parent.
  auto history = nine(9);
  for (const std::size_t at : {5, 7, 8}) history[at].costs["work"] = 1.1;
  FakeWalk walk(history);
  walk.examine(every_fourth);
  EXPECT_EQ(walk.records(), (Texts{"regression open work c7 (c6..c7) 1.100"}));
}

}  // namespace
}  // namespace tandem::daemon
