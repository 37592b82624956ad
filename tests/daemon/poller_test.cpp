#include "daemon/walk/poller.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::daemon {
namespace {

using Positions = std::vector<std::size_t>;

struct Case {
  std::size_t commits;
  std::size_t step;
  std::set<std::size_t> done;
  Positions todo;
};

class PositionsToExamine : public testing::TestWithParam<Case> {};

TEST_P(PositionsToExamine, AreEveryStepAndTheNewest) {
  Line line;
  for (std::size_t i = 0; i < GetParam().commits; ++i) {
    builders::Commit commit;
    commit.id = fmt::format("c{}", i);
    line.commits.push_back(commit);
  }
  std::set<std::string> done = {"a commit that is on this line no more"};
  for (const std::size_t at : GetParam().done) done.insert(fmt::format("c{}", at));
  EXPECT_EQ(positions_to_examine(line, done, {{}, GetParam().step}), GetParam().todo);
}

INSTANTIATE_TEST_SUITE_P(
    Table, PositionsToExamine,
    testing::Values(Case{1, 1, {}, {0}}, Case{4, 1, {}, {0, 1, 2, 3}}, Case{4, 2, {}, {0, 2, 3}},
                    Case{5, 2, {}, {0, 2, 4}}, Case{8, 3, {}, {0, 3, 6, 7}}, Case{7, 3, {}, {0, 3, 6}},
                    Case{9, 4, {}, {0, 4, 8}}, Case{10, 4, {}, {0, 4, 8, 9}}, Case{3, 4, {}, {0, 2}},
                    // after some were done
                    Case{4, 1, {0, 1}, {2, 3}}, Case{8, 2, {0, 2}, {4, 6, 7}}, Case{8, 3, {0}, {3, 6, 7}},
                    Case{10, 4, {0, 4}, {8, 9}}, Case{11, 4, {0, 4, 8, 9}, {10}},
                    Case{14, 4, {0, 4, 8, 9}, {13}}, Case{15, 4, {0, 4, 8, 9}, {13, 14}},
                    // a gap is no reason to go back
                    Case{6, 1, {0, 3}, {4, 5}},
                    // nothing new
                    Case{1, 1, {0}, {}}, Case{4, 1, {0, 1, 2, 3}, {}}, Case{4, 2, {0, 2, 3}, {}},
                    Case{10, 4, {0, 4, 8, 9}, {}}));

Line line_of(std::size_t commits) {
  Line line;
  for (std::size_t i = 0; i < commits; ++i) {
    line.commits.emplace_back();
    line.commits.back().id = fmt::format("c{}", i);
  }
  return line;
}

using Positions = std::vector<std::size_t>;

TEST(PositionsToExamine, AreTheNewestAloneWhenOnlyThatIsWanted) {
  WalkPolicy policy;
  policy.catch_up = config::CatchUp::newest;
  EXPECT_EQ(positions_to_examine(line_of(9), {"c0", "c2"}, policy), (Positions{8}));
  EXPECT_EQ(positions_to_examine(line_of(9), {"c0", "c8"}, policy), Positions{});
  EXPECT_EQ(positions_to_examine(line_of(9), {}, policy), (Positions{0, 8})) << "a walk needs a beginning";
}

TEST(PositionsToExamine, IncludeLateMergedCommitsWhereAllAreWalked) {
  WalkPolicy policy;
  policy.commits = config::Walk::all;
  EXPECT_EQ(positions_to_examine(line_of(6), {"c0", "c3", "c4"}, policy), (Positions{1, 2, 5}));
}

TEST(PositionsToExamine, NeverGoBackToWhatLongerStepsPassed) {
  WalkPolicy policy;
  policy.commits = config::Walk::all;
  policy.step = 3;
  Line line = line_of(10);
  EXPECT_EQ(positions_to_examine(line, {"c0", "c3", "c6", "c9"}, policy), Positions{});
  // 7 and 8 belong to a branch of their own that nothing examined rests on.
  line.is_ancestor = [](std::size_t one, std::size_t other) {
    return one != 7 && (one != 8 || other != 9) && other != 8;
  };
  policy.step = 2;
  EXPECT_EQ(positions_to_examine(line, {"c0", "c2", "c4", "c6", "c9"}, policy), (Positions{8}));
}

}  // namespace
}  // namespace tandem::daemon
