#include <fmt/format.h>
#include <gtest/gtest.h>

#include "builders/fetch.hpp"
#include "builders/git/remote.hpp"
#include "builders/repository.hpp"
#include "loopback.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using namespace std::chrono_literals;
using Kind = FetchFailure::Kind;

/// upstream holds the submodule third/lib, which holds the submodule deep/core.
class SubmodulesTest : public GitTest {
 protected:
  SubmodulesTest() {
    make(core_);
    core_id_ = commit_in(core_, "core.txt", "core 1");
    make(lib_);
    write(lib_ / "lib.txt", "lib 1");
    lib_id_ = add_submodule(lib_, "../core", "deep/core");
    write(upstream_ / "main.txt", "main 1");
    add_submodule(upstream_, "../lib", "third/lib");
    fs::create_directories(tree_);
  }

  void make(const fs::path& repository) {
    fs::create_directories(repository);
    git({"init", "--quiet", "--initial-branch=main"}, repository);
  }

  std::string commit_in(const fs::path& repository, const std::string& file, const std::string& text) {
    write(repository / file, text);
    git({"add", "--all"}, repository);
    git({"commit", "--quiet", "-m", "Change"}, repository);
    return git({"rev-parse", "HEAD"}, repository);
  }

  /// Records the head of the repository at `url` (beside the other) as a submodule, without a work tree of
  /// it.
  std::string add_submodule(const fs::path& repository, const std::string& url, const std::string& path) {
    const std::string id = git({"rev-parse", "HEAD"}, temporary_.path() / fs::path(url).filename());
    return record(repository, url, path, id);
  }

  std::string record(const fs::path& repository, const std::string& url, const std::string& path,
                     const std::string& id) {
    write(repository / ".gitmodules", "[submodule \"m\"]\n\tpath = " + path + "\n\turl = " + url + "\n");
    git({"add", "--all"}, repository);
    git({"update-index", "--add", "--cacheinfo", "160000," + id + "," + path}, repository);
    git({"commit", "--quiet", "-m", "Add a submodule"}, repository);
    return git({"rev-parse", "HEAD"}, repository);
  }

  std::optional<FetchFailure> fetch_all(const std::string& url) {
    const std::string id = fetched(url).id;
    return fetch_submodules(mirror_, id, source_of(url), {tests::paths::fetch_child, 60s});
  }

  std::optional<CheckoutFailure> check_out() {
    const auto repository = open_repository(mirror_);
    return repository->checkout(repository->find("main").value(), tree_);
  }

  fs::path core_ = temporary_.path() / "core";
  fs::path lib_ = temporary_.path() / "lib";
  fs::path tree_ = temporary_.path() / "tree";
  std::string core_id_;
  std::string lib_id_;
};

TEST_F(SubmodulesTest, ChecksOutSubmodulesOfSubmodules) {
  const auto failed = fetch_all(upstream_);
  ASSERT_FALSE(failed) << failed->sentence;
  const auto refused = check_out();
  ASSERT_FALSE(refused) << refused->sentence;
  EXPECT_EQ(read(tree_ / "main.txt"), "main 1");
  EXPECT_EQ(read(tree_ / "third/lib/lib.txt"), "lib 1");
  EXPECT_EQ(read(tree_ / "third/lib/deep/core/core.txt"), "core 1");
  const auto ids = open_repository(mirror_)->submodule_ids(git({"rev-parse", "HEAD"}));
  EXPECT_EQ(ids,
            (std::map<std::string, std::string>{{"third/lib", lib_id_}, {"third/lib/deep/core", core_id_}}));
}

TEST_F(SubmodulesTest, FetchesThemFromTheServerOfTheParent) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const auto failed = fetch_all(server.url("upstream"));
  ASSERT_FALSE(failed) << failed->sentence;
  ASSERT_FALSE(check_out());
  EXPECT_EQ(read(tree_ / "third/lib/deep/core/core.txt"), "core 1");
}

TEST_F(SubmodulesTest, TakesTheRecordedCommitNotTheNewest) {
  commit_in(core_, "core.txt", "core 2");
  ASSERT_FALSE(fetch_all(upstream_));
  ASSERT_FALSE(check_out());
  EXPECT_EQ(read(tree_ / "third/lib/deep/core/core.txt"), "core 1");
}

TEST_F(SubmodulesTest, NeedsNoConnectionForWhatIsThere) {
  ASSERT_FALSE(fetch_all(upstream_));
  const Source source = source_of(upstream_);
  const std::string id = git({"rev-parse", "HEAD"});
  fs::remove_all(lib_);
  fs::remove_all(core_);
  EXPECT_FALSE(fetch_submodules(mirror_, id, source, {tests::paths::fetch_child, 60s}));
}

TEST_F(SubmodulesTest, FollowsASubmoduleThatMovesOn) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  ASSERT_FALSE(fetch_all(server.url("upstream")));
  const std::string newer = commit_in(lib_, "lib.txt", "lib 2");
  record(upstream_, "../lib", "third/lib", newer);
  ASSERT_FALSE(fetch_all(server.url("upstream")));
  ASSERT_FALSE(check_out());
  EXPECT_EQ(read(tree_ / "third/lib/lib.txt"), "lib 2");
}

TEST_F(SubmodulesTest, FindsACommitThatOnlyATagNames) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const std::string tagged = commit_in(core_, "core.txt", "tagged");
  git({"tag", "-a", "-m", "Release", "v1"}, core_);
  git({"reset", "--quiet", "--hard", "HEAD^"}, core_);
  record(upstream_, "../core", "third/core", tagged);
  const auto failed = fetch_all(server.url("upstream"));
  ASSERT_FALSE(failed) << failed->sentence;
  ASSERT_FALSE(check_out());
  EXPECT_EQ(read(tree_ / "third/core/core.txt"), "tagged");
}

TEST_F(SubmodulesTest, AsksForACommitByItsIdWhereTheServerAllowsIt) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const std::string dropped = commit_in(lib_, "lib.txt", "dropped");
  git({"reset", "--quiet", "--hard", "HEAD^"}, lib_);
  record(upstream_, "../lib", "third/lib", dropped);
  const auto failure = fetch_all(server.url("upstream"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::refused);
  EXPECT_NE(failure->sentence.find("'third/lib'"), std::string::npos) << failure->sentence;
  EXPECT_NE(failure->sentence.find("never pushed"), std::string::npos) << failure->sentence;
  git({"config", "uploadpack.allowAnySHA1InWant", "true"}, lib_);
  const auto failed = fetch_all(server.url("upstream"));
  ASSERT_FALSE(failed) << failed->sentence;
  ASSERT_FALSE(check_out());
  EXPECT_EQ(read(tree_ / "third/lib/lib.txt"), "dropped");
}

TEST_F(SubmodulesTest, CallsAConnectionThatBreaksAtTheLastAttemptUnreachable) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const std::string dropped = commit_in(lib_, "lib.txt", "dropped");
  git({"reset", "--quiet", "--hard", "HEAD^"}, lib_);
  // Branches, tags, and then the commit by its id: there the network is gone.
  int connections = 0;
  const ScriptedServer breaking([&](int client) {
    if (++connections <= 2) relay(client, server.port());
  });
  const std::string url = fmt::format("git://127.0.0.1:{}/lib", breaking.port());
  const std::string id = record(upstream_, url, "third/lib", dropped);
  fetched(server.url("upstream"));
  const auto failure =
      fetch_submodules(mirror_, id, source_of(server.url("upstream")), {tests::paths::fetch_child, 60s});
  ASSERT_TRUE(failure);
  EXPECT_EQ(connections, 3);
  EXPECT_EQ(failure->kind, Kind::unreachable) << failure->sentence;
}

TEST_F(SubmodulesTest, DoesNotLetAServerNameFilesOfThisMachine) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  record(upstream_, core_, "third/lib", core_id_);
  const auto failure = fetch_all(server.url("upstream"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::refused);
  EXPECT_NE(failure->sentence.find("is a file of this machine"), std::string::npos) << failure->sentence;
}

TEST_F(SubmodulesTest, ShowsNoPasswordToAnotherHost) {
  std::string seen;
  const ScriptedServer curious([&](int client) {
    char request[4096];
    const auto size = ::read(client, request, sizeof request);
    seen.append(request, size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::string answer =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n";
    static_cast<void>(!::write(client, answer.data(), answer.size()));
  });
  record(upstream_, "http://127.0.0.1:" + std::to_string(curious.port()) + "/x", "third/lib", lib_id_);
  const std::string id = fetched(upstream_).id;
  Source source = source_of(upstream_);
  source.url = "http://ada:sesame@127.0.0.2:1/main";
  source.token_file = temporary_.path() / "token";
  write(source.token_file, "ada:opensesame\n");
  fs::permissions(source.token_file, fs::perms::owner_read);
  const auto failure = fetch_submodules(mirror_, id, source, {tests::paths::fetch_child, 60s});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::refused) << failure->sentence;
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(seen.find("Authorization"), std::string::npos) << seen;
}

TEST_F(SubmodulesTest, EndsWhereSubmodulesHoldThemselves) {
  // Ids are hashes, so a commit cannot hold itself; a chain of ten of one repository comes near.
  std::string id = core_id_;
  for (int depth = 0; depth < 10; ++depth) id = record(core_, "../core", "again", id);
  record(upstream_, "../core", "third/lib", id);
  const auto failure = fetch_all(upstream_);
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->sentence.find("more than 8 levels"), std::string::npos) << failure->sentence;
  const auto refused = check_out();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, CheckoutFailure::Kind::submodules) << refused->sentence;
}

TEST_F(SubmodulesTest, SaysThatAnEntryIsMissing) {
  git({"rm", "--quiet", ".gitmodules"});
  git({"commit", "--quiet", "-m", "Forget it"});
  ASSERT_FALSE(fetch_all(upstream_));
  const auto refused = check_out();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->sentence, "the submodule 'third/lib' has no entry with path and url in .gitmodules");
}

TEST(GitModules, ReadsWhatGitWrites) {
  const auto modules = git::read_gitmodules(
      "# third party\n"
      "[submodule \"third/eigen\"]\n\tpath = third/eigen\n\turl = https://example.org/eigen.git\n"
      "\tbranch = master\n"
      "[Submodule \"with \\\"quotes\\\"\"]\n path = \"a # b\" ; kept\n URL=../sibling # dropped\n"
      "[core]\n\tpath = not/ours\n");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].path, "third/eigen");
  EXPECT_EQ(modules[0].url, "https://example.org/eigen.git");
  EXPECT_EQ(modules[1].path, "a # b");
  EXPECT_EQ(modules[1].url, "../sibling");
}

TEST(GitModules, TakesTheLastValueAndJoinsSectionsOfOneName) {
  const auto modules = git::read_gitmodules(
      "[submodule \"m\"]\npath = old\nurl = u\n[submodule \"n\"]\npath = n\n[submodule \"m\"]\npath = "
      "new/\n");
  ASSERT_EQ(modules.size(), 1U) << "n has no url";
  EXPECT_EQ(modules[0].path, "new");
}

TEST(GitModules, LeavesOutPathsThatLeaveTheTree) {
  for (const char* path : {"..", "../x", "/etc", "a/../b", "a//b", ".", "a/./b", ""}) {
    EXPECT_TRUE(
        git::read_gitmodules(std::string("[submodule \"m\"]\npath = ") + path + "\nurl = u\n").empty())
        << path;
  }
}

TEST(GitModules, EndsOnAnyText) {
  std::string long_value(2'000'000, 'x');
  for (const std::string& text :
       {std::string("["), std::string("[submodule \""), std::string("[submodule \"m\\"),
        std::string("a = \\"), std::string("a = \"\\\n"), std::string("\0\0[", 3),
        "[submodule \"m\"]\npath = " + long_value}) {
    EXPECT_TRUE(git::read_gitmodules(text).empty());
  }
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    many += "[submodule \"" + std::to_string(i) + "\"]\npath=p" + std::to_string(i) + "\nurl=u\n";
  }
  EXPECT_EQ(git::read_gitmodules(many).size(), 1000U);
}

TEST(GitModules, ResolvesRelativeUrlsAsGitDoes) {
  struct Row {
    const char* parent;
    const char* written;
    const char* url;
  };
  for (const Row& row : {
           Row{"https://example.org/org/main.git", "../lib.git", "https://example.org/org/lib.git"},
           Row{"https://example.org/org/main", "../../other/lib", "https://example.org/other/lib"},
           Row{"https://example.org/org/main/", "./lib", "https://example.org/org/main/lib"},
           Row{"git@example.org:org/main.git", "../lib.git", "git@example.org:org/lib.git"},
           Row{"git@example.org:org/main.git", "../../lib.git", "git@example.org:lib.git"},
           Row{"https://u:p@example.org/a/b", "../c", "https://u:p@example.org/a/c"},
           Row{"/srv/git/main", "../lib", "/srv/git/lib"},
           Row{"file:///srv/main", "../lib", "file:///srv/lib"},
           Row{"https://example.org/a", "ssh://git@elsewhere/b", "ssh://git@elsewhere/b"},
           Row{"/srv/main", "/srv/lib", "/srv/lib"},
       }) {
    EXPECT_EQ(git::submodule_url(row.parent, row.written), row.url) << row.parent << " " << row.written;
  }
}

TEST(GitModules, RefusesUrlsThatReachFurtherThanTheParent) {
  for (const char* url : {"/etc/secrets", "file:///etc/secrets", "ext::sh -c id", "rsync://h/x", "lib",
                          "-u=x", "../../../../x", "https://h/\x01x", "fd::7"}) {
    EXPECT_THROW(static_cast<void>(git::submodule_url("https://example.org/a/b", url)), InputError) << url;
  }
}

TEST(GitModules, ComparesHostsForCredentials) {
  EXPECT_TRUE(git::is_same_host("https://u:p@Example.org/a", "https://example.org/b"));
  EXPECT_TRUE(git::is_same_host("git@example.org:a", "ssh://other@example.org/b"));
  EXPECT_FALSE(git::is_same_host("https://example.org/a", "http://example.org/a")) << "a token in clear text";
  EXPECT_FALSE(git::is_same_host("https://example.org/a", "https://example.org:8443/a"));
  EXPECT_FALSE(git::is_same_host("https://example.org/a", "https://example.org.evil.net/a"));
  EXPECT_FALSE(git::is_same_host("https://example.org/a", "https://example.org@evil.net/a"));
  EXPECT_FALSE(git::is_same_host("/srv/a", "/srv/b"));
}

}  // namespace
}  // namespace tandem::builders
