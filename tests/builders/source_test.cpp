#include "builders/source.hpp"

#include <unistd.h>

#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

std::string message_of(const std::string& repo_dir, const std::string& branch = "main") {
  try {
    const Source source = resolve_source({.repo_dir = repo_dir, .branch = branch});
    return "resolved to " + source.url;
  } catch (const InputError& error) {
    return error.what();
  }
}

using SourceTest = GitTest;

TEST(SourceUrl, TellsUrlsFromPaths) {
  for (const char* url :
       {"https://example.org/x.git", "git://h/x", "ssh://git@h/x", "file:///x", "git@h:x/y.git"}) {
    EXPECT_TRUE(is_url(url)) << url;
  }
  for (const char* path : {"/srv/x", "x/y", ".", "../a:b", "/home/a@b:c", "C:", "a@b", "://x"}) {
    EXPECT_FALSE(is_url(path)) << path;
  }
}

TEST(SourceUrl, HidesPasswordsTokensAndQueries) {
  EXPECT_EQ(without_credentials("https://ada:secret@example.org/x.git"), "https://example.org/x.git");
  EXPECT_EQ(without_credentials("https://ghp_token@example.org/x"), "https://example.org/x");
  EXPECT_EQ(without_credentials("https://ada:a@b@example.org/x"), "https://example.org/x");
  EXPECT_EQ(without_credentials("https://example.org/x?token=secret"), "https://example.org/x");
  EXPECT_EQ(without_credentials("ssh://git@example.org/x"), "ssh://git@example.org/x");
  EXPECT_EQ(without_credentials("git@example.org:x"), "git@example.org:x");
}

TEST(SourceUrl, ConcealsCredentialsInsideAMessage) {
  const std::string url = "https://ada:sesame@example.org/x.git";
  EXPECT_EQ(conceal("cannot reach https://ada:sesame@example.org/x.git: sesame refused", url),
            "cannot reach https://example.org/x.git: … refused");
  EXPECT_EQ(conceal("git said no", "https://git@example.org/x"), "git said no");
}

TEST(SourceUrl, NamesTheMostSimilarBranchesFirst) {
  EXPECT_EQ(missing_branch("r", "mian", {"release", "main", "next"}),
            "r has no branch 'mian'; it has main, next, release");
  EXPECT_EQ(missing_branch("r", "x", {"a", "b", "c", "d", "e", "f", "g", "h"}),
            "r has no branch 'x'; it has a, b, c, d, e, f and 2 more");
  EXPECT_EQ(missing_branch("r", "x", {}), "r has no branch 'x': it has no branches at all");
}

TEST_F(SourceTest, TakesAUrlAsItIs) {
  const Source source = resolve_source({.repo_dir = "https://t:s@example.org/x", .branch = "main"});
  EXPECT_EQ(source.url, "https://t:s@example.org/x");
  EXPECT_EQ(source.shown, "https://example.org/x");
  EXPECT_TRUE(source.seed.empty());
}

TEST_F(SourceTest, UsesTheLocalBranchOfARepositoryWithoutTheRemote) {
  commit("a", "1");
  EXPECT_EQ(resolve_source({.repo_dir = upstream_, .branch = "main"}).url, upstream_.string());
}

TEST_F(SourceTest, UsesTheRemoteOfACloneAndItsObjectsAsSeed) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", "../upstream", clone});
  const Source source = resolve_source({.repo_dir = clone, .branch = "main"});
  EXPECT_EQ(source.url, upstream_.string());
  EXPECT_EQ(source.seed, clone);
  EXPECT_EQ(resolve_source({.repo_dir = clone, .remote_repository = "elsewhere", .branch = "main"}).url,
            clone.string());
}

TEST_F(SourceTest, MakesARelativeRemoteAbsolute) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", upstream_, clone});
  git({"remote", "set-url", "origin", "../upstream"}, clone);
  EXPECT_EQ(resolve_source({.repo_dir = clone, .branch = "main"}).url, upstream_.string());
}

TEST_F(SourceTest, RefusesWhatIsNoRepository) {
  EXPECT_NE(message_of(temporary_.path()).find("is not a git repository"), std::string::npos);
  EXPECT_NE(message_of(temporary_.path() / "nowhere").find("does not exist"), std::string::npos);
}

TEST_F(SourceTest, NamesTheBranchesWhenTheOneIsMissing) {
  commit("a", "1");
  git({"branch", "mainline"});
  EXPECT_EQ(message_of(upstream_, "mainlin"),
            upstream_.string() + " has no branch 'mainlin'; it has mainline, main");
}

TEST_F(SourceTest, RefusesAShallowRepositoryWithoutRemote) {
  commit("a", "1");
  commit("a", "2");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", "--depth=1", "file://" + upstream_.string(), clone});
  EXPECT_TRUE(resolve_source({.repo_dir = clone, .branch = "main"}).seed.empty());
  git({"remote", "remove", "origin"}, clone);
  EXPECT_NE(message_of(clone).find("git fetch --unshallow"), std::string::npos);
}

TEST_F(SourceTest, SaysHowToGoOnWithACloneOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another user";
  commit("a", "1");
  constexpr uid_t somebody = 65533;
  ASSERT_EQ(::chown(upstream_.c_str(), somebody, somebody), 0);
  ASSERT_EQ(::chown((upstream_ / ".git").c_str(), somebody, somebody), 0);
  const std::string message = message_of(upstream_);
  EXPECT_NE(message.find("belongs to another user"), std::string::npos) << message;
  EXPECT_NE(message.find("safe.directory"), std::string::npos);
}

}  // namespace
}  // namespace tandem::builders
