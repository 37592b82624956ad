// Rounds over a real repository whose branch is rewritten.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "builders/repository_fixture.hpp"
#include "daemon/walk/poller.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using builders::Repository;

class Rounds : public builders::GitTest {
 protected:
  std::string commit_number(int number) {
    return commit("file", fmt::format("{}\n", number), fmt::format("Change {}", number));
  }
  std::vector<std::string> commit_numbers(int from, int to) {
    std::vector<std::string> ids;
    for (int i = from; i <= to; ++i) ids.push_back(commit_number(i));
    return ids;
  }
  Round round(const std::string& start, const std::set<std::string>& done, std::size_t step = 1) {
    const std::string tip = fetched(upstream_.string()).id;
    return plan_round(*builders::open_repository(mirror_), tip, start, done, {{}, step}, 1'800'000'000);
  }
  static std::vector<std::string> todo(const Round& round) {
    std::vector<std::string> ids;
    for (const std::size_t at : round.todo) ids.push_back(round.line.commits.at(at).id);
    return ids;
  }
  std::string first(const std::string& commit, std::size_t window = 50) {
    const std::string tip = fetched(upstream_.string()).id;
    return first_commit(*builders::open_repository(mirror_), tip, {commit, 1, window});
  }
  std::string refusal(const std::string& commit) {
    try {
      return "accepted " + first(commit);
    } catch (const InputError& error) {
      return error.what();
    }
  }
};

TEST_F(Rounds, BeginAtTheStartAndEndAtTheTip) {
  const auto ids = commit_numbers(0, 4);
  const Round all = round(ids[1], {});
  ASSERT_EQ(all.line.commits.size(), 4u);
  EXPECT_EQ(all.line.commits.front().id, ids[1]);
  EXPECT_EQ(all.line.weeks.size(), 4u);
  EXPECT_EQ(todo(all), (std::vector<std::string>{ids[1], ids[2], ids[3], ids[4]}));
  EXPECT_TRUE(all.notice.empty());
  EXPECT_EQ(todo(round(ids[0], {ids[0]}, 3)), (std::vector<std::string>{ids[3], ids[4]}));
}

TEST_F(Rounds, HaveNothingToDoWhenNothingIsNew) {
  const auto ids = commit_numbers(0, 2);
  EXPECT_TRUE(round(ids[0], {ids[0], ids[1], ids[2]}).todo.empty());
}

TEST_F(Rounds, GoOnFromTheLastCommonCommitAfterAForcePush) {
  const auto old = commit_numbers(0, 3);
  static_cast<void>(round(old[0], {}));
  git({"reset", "--quiet", "--hard", old[1]});
  const auto fresh = commit_numbers(10, 12);
  const Round next = round(old[0], {old.begin(), old.end()});
  EXPECT_EQ(todo(next), fresh);
  EXPECT_EQ(next.line.commits.size(), 5u);
  EXPECT_EQ(next.line.commits[1].id, old[1]);
}

TEST_F(Rounds, GoOnFromTheMergeBaseWhenTheStartItselfIsGone) {
  const auto old = commit_numbers(0, 3);
  static_cast<void>(round(old[2], {}));
  git({"reset", "--quiet", "--hard", old[1]});
  const auto fresh = commit_numbers(10, 11);
  const Round next = round(old[2], {old[2], old[3]});
  EXPECT_EQ(todo(next), (std::vector<std::string>{old[1], fresh[0], fresh[1]}));
  EXPECT_EQ(next.notice, fmt::format("the branch was rewritten; the walk goes on from {}", old[1]));
}

TEST_F(Rounds, BeginAnewOnAnUnrelatedBranch) {
  const auto old = commit_numbers(0, 2);
  static_cast<void>(round(old[0], {}));
  git({"checkout", "--quiet", "--orphan", "other"});
  const auto fresh = commit_numbers(20, 21);
  git({"branch", "--force", "main", "other"});
  const Round next = round(old[0], {old.begin(), old.end()});
  EXPECT_EQ(todo(next), fresh);
  EXPECT_EQ(next.notice, "the branch was replaced by one without a common commit; the walk begins anew");
}

TEST_F(Rounds, SeeAResetBranchAsNothingNew) {
  const auto ids = commit_numbers(0, 3);
  static_cast<void>(round(ids[0], {}));
  git({"reset", "--quiet", "--hard", ids[2]});
  EXPECT_TRUE(round(ids[0], {ids.begin(), ids.end()}).todo.empty());
}

TEST_F(Rounds, WalkMergesAlongTheirFirstParents) {
  const auto ids = commit_numbers(0, 1);
  git({"checkout", "--quiet", "-b", "side"});
  const std::string side = commit("side", "1\n", "On the side");
  git({"checkout", "--quiet", "main"});
  const std::string own = commit_number(2);
  git({"merge", "--quiet", "--no-ff", "-m", "Merge", "side"});
  const std::string merge = git({"rev-parse", "HEAD"});
  EXPECT_EQ(todo(round(ids[0], {})), (std::vector<std::string>{ids[0], ids[1], own, merge}));
  EXPECT_EQ(refusal(side), fmt::format("the commit {} is not on the first-parent line of the branch", side));
}

TEST_F(Rounds, StartSoManyCommitsBack) {
  const auto ids = commit_numbers(0, 5);
  EXPECT_EQ(first("", 50), ids[0]);
  EXPECT_EQ(first("", 6), ids[0]);
  EXPECT_EQ(first("", 2), ids[4]);
  EXPECT_EQ(first("", 1), ids[5]);
}

TEST_F(Rounds, StartAtTheNamedCommit) {
  const auto ids = commit_numbers(0, 2);
  EXPECT_EQ(first(ids[1]), ids[1]);
  EXPECT_EQ(first(ids[1].substr(0, 10)), ids[1]);
  EXPECT_EQ(first("main"), ids[2]);
}

TEST_F(Rounds, RefuseAStartThatIsNotThere) {
  commit_numbers(0, 1);
  EXPECT_EQ(refusal("no-such-tag"), "there is no commit no-such-tag; give a hash, a tag or a branch");
}

}  // namespace
}  // namespace tandem::daemon
