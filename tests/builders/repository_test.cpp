#include "builders/repository.hpp"

#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using RepositoryTest = GitTest;

TEST_F(RepositoryTest, ReadsACommitWithAllItsFields) {
  const std::string root = commit("a", "1", "First\n\nThe body is not part of the subject.");
  const std::string second = commit("a", "2", "Zweiter Stand: größer");
  fetched(upstream_);
  const auto found = open_repository(mirror_)->find(second);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, second);
  EXPECT_EQ(found->first_parent, root);
  EXPECT_EQ(found->tree, git({"rev-parse", "HEAD^{tree}"}));
  EXPECT_EQ(found->subject, "Zweiter Stand: größer");
  EXPECT_EQ(found->author_name, "Ada");
  EXPECT_EQ(found->author_email, "ada@example.org");
  EXPECT_EQ(found->author_time, 1'700'001'170) << "UTC, whatever zone the author wrote";
  EXPECT_EQ(found->committer_time, 1'700'001'200);
  EXPECT_EQ(open_repository(mirror_)->find(root)->subject, "First");
  EXPECT_EQ(open_repository(mirror_)->find(root)->first_parent, "");
}

TEST_F(RepositoryTest, WalksFirstParentsOldestFirstOverMerges) {
  const std::string root = commit("a", "1");
  const std::string second = commit("a", "2");
  git({"checkout", "--quiet", "-b", "side", root});
  const std::string side = commit("b", "1");
  git({"checkout", "--quiet", "main"});
  git({"merge", "--quiet", "--no-ff", "-m", "Merge", "side"});
  const std::string merge = git({"rev-parse", "HEAD"});
  const std::string last = commit("a", "3");
  fetched(upstream_);

  const auto opened = open_repository(mirror_);
  const Repository& repository = *opened;
  EXPECT_EQ(ids(*repository.first_parents(last)), (std::vector{root, second, merge, last}));
  EXPECT_EQ(ids(*repository.first_parents(last, second)), (std::vector{merge, last}));
  EXPECT_TRUE(repository.first_parents(last, last)->empty());
  EXPECT_FALSE(repository.first_parents(last, side)) << "a side branch is not on the first-parent line";

  EXPECT_EQ(repository.first_parent_distance(second, last), 2U);
  EXPECT_EQ(repository.first_parent_distance(last, last), 0U);
  EXPECT_FALSE(repository.first_parent_distance(side, last));
  EXPECT_FALSE(repository.first_parent_distance(last, second));
  EXPECT_TRUE(repository.is_strict_ancestor(side, last));
  EXPECT_TRUE(repository.is_strict_ancestor(root, last));
  EXPECT_FALSE(repository.is_strict_ancestor(last, last));
  EXPECT_FALSE(repository.is_strict_ancestor(last, root));
  EXPECT_EQ(repository.merge_base(side, second), root);
}

TEST_F(RepositoryTest, FindsCommitsByBranchTagAndBeginningOfTheHash) {
  const std::string root = commit("a", "1");
  git({"tag", "light"});
  git({"tag", "-a", "-m", "A release", "v1.0"});
  const std::string last = commit("a", "2");
  fetched(upstream_);
  const auto opened = open_repository(mirror_);
  const Repository& repository = *opened;
  EXPECT_EQ(repository.find("main")->id, last);
  EXPECT_EQ(repository.find("light")->id, root);
  EXPECT_EQ(repository.find("v1.0")->id, root);
  EXPECT_EQ(repository.find(last.substr(0, 12))->id, last);
  EXPECT_EQ(repository.tip("main"), last);
  for (const char* unknown : {"nothing", "0000000000", "abc", "", "a..b", "zzzzzzzz"}) {
    EXPECT_FALSE(repository.find(unknown)) << unknown;
  }
  EXPECT_FALSE(repository.find(git({"rev-parse", "HEAD^{tree}"}))) << "a tree is not a commit";
  EXPECT_FALSE(repository.tip("other"));
}

TEST_F(RepositoryTest, RefusesABeginningThatFitsSeveralCommits) {
  // Commits that differ in their message only, until one starts with the same four digits as an earlier one.
  std::string ambiguous;
  std::vector<std::string> seen;
  const std::string tree = (commit("a", "1"), git({"rev-parse", "HEAD^{tree}"}));
  std::string tip = git({"rev-parse", "HEAD"});
  for (int i = 0; i < 2000 && ambiguous.empty(); ++i) {
    tip = git({"commit-tree", tree, "-p", tip, "-m", std::to_string(i)});
    for (const std::string& earlier : seen) {
      if (earlier.substr(0, 4) == tip.substr(0, 4)) ambiguous = tip.substr(0, 4);
    }
    seen.push_back(tip);
  }
  ASSERT_FALSE(ambiguous.empty());
  git({"update-ref", "refs/heads/main", tip});
  fetched(upstream_);
  EXPECT_THROW(static_cast<void>(open_repository(mirror_)->find(ambiguous)), InputError);
}

TEST_F(RepositoryTest, MakesHostileTextsShowable) {
  write(upstream_ / "message", "Bad \xFF byte and \x1b[2J escape\n");
  commit("a", "1");
  git({"-c", "i18n.commitEncoding=latin1", "commit", "--quiet", "--allow-empty", "-F", "message"});
  fetched(upstream_);
  EXPECT_EQ(open_repository(mirror_)->find("main")->subject, "Bad \xEF\xBF\xBD byte and  [2J escape");
}

TEST_F(RepositoryTest, SaysWhichMirrorCannotBeOpened) {
  try {
    static_cast<void>(open_repository(mirror_));
    FAIL() << "a missing mirror was opened";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(mirror_.string()), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tandem::builders
