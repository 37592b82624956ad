#include "builders/fetch.hpp"

#include "builders/repository.hpp"
#include "loopback.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {
namespace {

using FetchTest = GitTest;
using Move = Tip::Move;

TEST(FetchProtocol, BringsAnswersThroughALine) {
  const std::string id(40, 'a');
  const auto tip = std::get<Tip>(fetch_protocol::read(fetch_protocol::write(Tip{id, "", Move::first})));
  EXPECT_EQ(tip.id, id);
  EXPECT_EQ(tip.previous, "");
  EXPECT_EQ(tip.move, Move::first);
  const FetchFailure sent{FetchFailure::Kind::refused, "no entry\nfor you"};
  const auto failure = std::get<FetchFailure>(fetch_protocol::read(fetch_protocol::write(sent)));
  EXPECT_EQ(failure.kind, FetchFailure::Kind::refused);
  EXPECT_EQ(failure.sentence, "no entry for you");
}

TEST(FetchProtocol, TrustsNoAnswerItCannotRead) {
  for (const char* line :
       {"", "tip", "tip first abc", "tip sideways aaaa", "failure because of that", "hello"}) {
    const auto answer = fetch_protocol::read(line);
    ASSERT_TRUE(std::holds_alternative<FetchFailure>(answer)) << line;
    EXPECT_EQ(std::get<FetchFailure>(answer).kind, FetchFailure::Kind::internal);
  }
}

TEST_F(FetchTest, MirrorsAPathAndFollowsIt) {
  const std::string first = commit("a", "1");
  const Tip tip = fetched(upstream_);
  EXPECT_EQ(tip.id, first);
  EXPECT_EQ(tip.move, Move::first);
  EXPECT_EQ(tip.previous, "");

  EXPECT_EQ(fetched(upstream_).move, Move::same);
  const std::string second = commit("a", "2");
  const Tip moved = fetched(upstream_);
  EXPECT_EQ(moved.id, second);
  EXPECT_EQ(moved.previous, first);
  EXPECT_EQ(moved.move, Move::forward);
  EXPECT_EQ(git({"for-each-ref", "--format=%(refname)", "refs/tandem"}, mirror_), "refs/tandem/main");
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(FetchTest, LeavesTheRepositoryOfTheUserAlone) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", upstream_, clone});
  commit("a", "2");
  const std::string before = fingerprint(clone) + fingerprint(upstream_);
  fetched(clone);
  EXPECT_EQ(fingerprint(clone) + fingerprint(upstream_), before);
}

TEST_F(FetchTest, FetchesTheRemoteOfACloneThatIsBehind) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", upstream_, clone});
  const std::string newer = commit("a", "2");
  EXPECT_EQ(fetched(clone).id, newer);
  EXPECT_EQ(git({"fsck", "--strict", "--connectivity-only"}, mirror_), "");
}

TEST_F(FetchTest, SurvivesTheLossOfTheCloneThatSeededIt) {
  const std::string first = commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", "--shared", upstream_, clone});
  fetched(clone);
  fs::remove_all(clone);
  fs::remove_all(upstream_);
  EXPECT_EQ(git({"cat-file", "-p", first + ":a"}, mirror_), "1");
}

TEST_F(FetchTest, ReportsAForcePushWithBothTips) {
  const std::string root = commit("a", "1");
  const std::string dropped = commit("a", "2");
  fetched(upstream_);
  git({"reset", "--quiet", "--hard", root});
  const std::string replaced = commit("a", "3");
  const Tip tip = fetched(upstream_);
  EXPECT_EQ(tip.move, Move::rewritten);
  EXPECT_EQ(tip.id, replaced);
  EXPECT_EQ(tip.previous, dropped);
  const auto opened = open_repository(mirror_);
  const Repository& repository = *opened;
  EXPECT_TRUE(repository.find(dropped)) << "what was measured can still be named";
  EXPECT_EQ(repository.merge_base(dropped, replaced), root);
}

TEST_F(FetchTest, FollowsATagAndBranchesWithSlashes) {
  const std::string first = commit("a", "1");
  git({"tag", "-a", "-m", "Release", "v1"});
  git({"branch", "feature/x"});
  commit("a", "2");
  EXPECT_EQ(fetched(upstream_, "v1").id, first);
  EXPECT_EQ(fetched(upstream_, "feature/x").id, first);
  EXPECT_EQ(open_repository(mirror_)->tip("feature/x"), first);
}

TEST_F(FetchTest, FollowsATagThatMoves) {
  const std::string first = commit("a", "1");
  git({"tag", "-a", "-m", "Release", "v1"});
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(upstream_, "v1").id, first);
  git({"tag", "-f", "-a", "-m", "Release again", "v1"});
  const Tip forward = fetched(upstream_, "v1");
  EXPECT_EQ(forward.id, second);
  EXPECT_EQ(forward.previous, first);
  EXPECT_EQ(forward.move, Move::forward);
  git({"tag", "-f", "v1", first});
  const Tip back = fetched(upstream_, "v1");
  EXPECT_EQ(back.id, first);
  EXPECT_EQ(back.move, Move::rewritten);
  EXPECT_EQ(open_repository(mirror_)->find("v1")->id, first);
}

TEST_F(FetchTest, ForgetsATagThatMovedToAnotherBranch) {
  const std::string first = commit("a", "1");
  git({"tag", "v1"});
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  fetched(server.url("upstream"));
  EXPECT_EQ(open_repository(mirror_)->find("v1")->id, first);
  git({"checkout", "--quiet", "-b", "side"});
  commit("a", "side");
  git({"tag", "-f", "v1"});
  fetched(server.url("upstream"));
  EXPECT_FALSE(open_repository(mirror_)->find("v1")) << "its commit is not mirrored";
}

TEST_F(FetchTest, RefusesATagOfSomethingElse) {
  commit("a", "1");
  git({"tag", "data", git({"rev-parse", "HEAD:a"})});
  const auto failure = not_fetched(upstream_, "data");
  EXPECT_EQ(failure.kind, FetchFailure::Kind::no_branch) << failure.sentence;
}

TEST_F(FetchTest, NoticesATagThatComesLater) {
  const std::string first = commit("a", "1");
  commit("a", "2");
  fetched(upstream_);
  git({"tag", "-a", "-m", "Release", "v1", first});
  EXPECT_EQ(fetched(upstream_).move, Move::same);
  const auto found = open_repository(mirror_)->find("v1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, first);
}

TEST_F(FetchTest, FetchesFromAGitServer) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const std::string first = commit("a", "1");
  const std::string url = server.url("upstream");
  EXPECT_EQ(fetched(url).id, first);
  EXPECT_EQ(fetched(url).move, Move::same);
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(url).id, second);
  EXPECT_EQ(not_fetched(url, "mian").sentence, url + " has no branch 'mian'; it has main");
  EXPECT_EQ(not_fetched(server.url("nothing")).kind, FetchFailure::Kind::refused);
}

TEST_F(FetchTest, DownloadsOnlyWhatTheSeedLacks) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  for (int i = 0; i < 30; ++i) commit("a", std::to_string(i));
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", server.url("upstream"), clone});
  const std::string newer = commit("a", "newer");
  EXPECT_EQ(fetched(clone).id, newer);
  // The clone's pack is there, and beside it one with a commit, a tree and a file.
  std::size_t small = 0;
  for (const auto& entry : fs::directory_iterator(mirror_ / "objects" / "pack")) {
    if (entry.path().extension() != ".idx") continue;
    const std::string listing = git({"verify-pack", "-v", entry.path()}, mirror_);
    if (listing.find("non delta: 3 objects") != std::string::npos) ++small;
  }
  EXPECT_EQ(small, 1U);
}

}  // namespace
}  // namespace tandem::builders
