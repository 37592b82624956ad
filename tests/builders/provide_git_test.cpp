#include <sys/stat.h>

#include "builders/repository.hpp"
#include "git_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

class ProvideGitTest : public GitTest {
 protected:
  std::string provide(const std::string& name) {
    fetched(upstream_);
    fs::remove_all(tree_);
    fs::create_directories(tree_);
    const auto repository = open_repository(mirror_);
    const Commit commit = repository->find(name).value();
    EXPECT_FALSE(repository->checkout(commit, tree_));
    provide_git(mirror_, commit, tree_);
    return commit.id;
  }

  fs::path tree_ = temporary_.path() / "tree";
};

TEST_F(ProvideGitTest, AnswersWhatBuildScriptsAsk) {
  commit("src/a.cpp", "int a;");
  git({"tag", "-a", "-m", "Release", "v1.2"});
  write_script(upstream_ / "tool.sh", "exit 0");
  fs::create_symlink("src", upstream_ / "link");
  write(upstream_ / ".gitignore", "build/\n");
  commit_all("More");
  fetched(upstream_);
  const std::string before = fingerprint(mirror_);
  const std::string id = provide("main");
  EXPECT_EQ(git({"rev-parse", "HEAD"}, tree_), id);
  EXPECT_EQ(git({"describe", "--tags", "--dirty"}, tree_), "v1.2-1-g" + id.substr(0, 7));
  EXPECT_EQ(git({"log", "-1", "--format=%s"}, tree_), "More");
  EXPECT_EQ(git({"status", "--porcelain"}, tree_), "");
  EXPECT_EQ(git({"diff-index", "HEAD"}, tree_), "") << "without a refresh";
  EXPECT_EQ(git({"rev-list", "--count", "HEAD"}, tree_), "2");
  EXPECT_EQ(git({"symbolic-ref", "-q", "--short", "HEAD"}, upstream_), "main");
  EXPECT_EQ(git({"rev-parse", "--abbrev-ref", "HEAD"}, tree_), "HEAD") << "detached";
  EXPECT_EQ(fingerprint(mirror_), before);
  write(tree_ / "src/a.cpp", "int b;");
  EXPECT_EQ(git({"describe", "--tags", "--dirty"}, tree_), "v1.2-1-g" + id.substr(0, 7) + "-dirty");
}

TEST_F(ProvideGitTest, ServesAnOlderCommitAndAnEmptyOne) {
  git({"commit", "--quiet", "--allow-empty", "-m", "Empty"});
  const std::string empty = git({"rev-parse", "HEAD"});
  commit("a", "1");
  EXPECT_EQ(provide(empty), empty);
  EXPECT_EQ(git({"status", "--porcelain"}, tree_), "");
  EXPECT_EQ(git({"rev-parse", "HEAD"}, tree_), empty);
}

TEST_F(ProvideGitTest, SaysThatACommitIsMissing) {
  commit("a", "1");
  fetched(upstream_);
  fs::create_directories(tree_);
  Commit unknown;
  unknown.id = std::string(40, 'a');
  EXPECT_THROW(provide_git(mirror_, unknown, tree_), Error);
}

}  // namespace
}  // namespace tandem::builders
