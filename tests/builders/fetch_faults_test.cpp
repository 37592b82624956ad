#include <unistd.h>

#include <fmt/format.h>

#include <thread>

#include "builders/fetch.hpp"
#include "builders/repository.hpp"
#include "git_fixture.hpp"
#include "loopback.hpp"

namespace tandem::builders {
namespace {

using FetchFaultsTest = GitTest;
using Kind = FetchFailure::Kind;
using namespace std::chrono_literals;

/// The length in front of a line as git's protocol wants it.
std::string packet(const std::string& line) {
  return fmt::format("{:04x}{}", line.size() + 4, line);
}

TEST_F(FetchFaultsTest, CallsAClosedPortUnreachable) {
  Listener closed;
  closed.close();
  for (const char* scheme : {"git", "http"}) {
    const auto failure = not_fetched(fmt::format("{}://127.0.0.1:{}/x", scheme, closed.port()));
    EXPECT_EQ(failure.kind, Kind::unreachable) << failure.sentence;
    EXPECT_NE(failure.sentence.find("127.0.0.1"), std::string::npos) << failure.sentence;
  }
}

TEST_F(FetchFaultsTest, CallsAVanishedPathUnreachable) {
  commit("a", "1");
  const Source source = resolve_source(upstream_, "origin", "main");
  fs::remove_all(upstream_);
  const auto result = fetch(mirror_, source, {FETCH_CHILD, 60s});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::unreachable)
      << std::get<FetchFailure>(result).sentence;
}

TEST_F(FetchFaultsTest, NeverShowsThePassword) {
  Listener closed;
  closed.close();
  const auto failure = not_fetched(fmt::format("http://ada:opensesame@127.0.0.1:{}/x", closed.port()));
  EXPECT_EQ(failure.sentence.find("opensesame"), std::string::npos) << failure.sentence;
  EXPECT_EQ(failure.sentence.find("ada"), std::string::npos) << failure.sentence;
}

TEST_F(FetchFaultsTest, KeepsThePasswordOutOfTheArguments) {
  const fs::path seen = temporary_.path() / "seen";
  const fs::path program = temporary_.path() / "program";
  write_script(program, "echo \"$@\" > " + seen.string() + "\n");
  const auto result =
      fetch(mirror_, {"https://t:secret@example.org/x", "https://example.org/x", "main", {}}, {program, 60s});
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::internal) << "no answer is no tip";
  EXPECT_EQ(read(seen), fmt::format("internal-fetch {} main\n", mirror_.string()));
}

TEST_F(FetchFaultsTest, EndsAServerThatHangsAtTheDeadline) {
  const Listener silent;
  const auto failure = not_fetched(fmt::format("git://127.0.0.1:{}/x", silent.port()), "main", 300ms);
  EXPECT_EQ(failure.kind, Kind::timed_out) << failure.sentence;
  EXPECT_NE(failure.sentence.find("0.3 s"), std::string::npos) << failure.sentence;
}

TEST_F(FetchFaultsTest, EndsOnRequest) {
  const Listener silent;
  const std::string url = fmt::format("git://127.0.0.1:{}/x", silent.port());
  std::stop_source stop;
  // The connection tells when the child has begun; it stays open, so that only the stop can end the fetch.
  int client = -1;
  std::thread stopper([&] {
    client = ::accept(silent.socket(), nullptr, nullptr);
    stop.request_stop();
  });
  const auto result = fetch(mirror_, {url, url, "main", {}}, {FETCH_CHILD, 600s}, stop.get_token());
  stopper.join();
  ::close(client);
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::stopped) << std::get<FetchFailure>(result).sentence;
}

TEST_F(FetchFaultsTest, CallsAServerThatHangsUpUnreachable) {
  const ScriptedServer rude([](int client) {
    char request[512];
    static_cast<void>(!::read(client, request, sizeof request));
  });
  const auto failure = not_fetched(fmt::format("git://127.0.0.1:{}/x", rude.port()));
  EXPECT_EQ(failure.kind, Kind::unreachable) << failure.sentence;
}

TEST_F(FetchFaultsTest, CallsABrokenPackCorruptAndKeepsTheOldTip) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const ScriptedServer liar([](int client) {
    char request[4096];
    static_cast<void>(!::read(client, request, sizeof request));
    const std::string id(40, 'b');
    const std::string capabilities("\0side-band-64k ofs-delta", 24);
    const std::string heads =
        packet(id + " HEAD" + capabilities + "\n") + packet(id + " refs/heads/main\n") + "0000";
    static_cast<void>(!::write(client, heads.data(), heads.size()));
    static_cast<void>(!::read(client, request, sizeof request));
    const std::string pack =
        packet("NAK\n") + packet(std::string("\1PACK\0\0\0\2\0\0\0\3garbage garbage garbage", 36)) + "0000";
    static_cast<void>(!::write(client, pack.data(), pack.size()));
  });
  const auto failure = not_fetched(fmt::format("git://127.0.0.1:{}/x", liar.port()));
  EXPECT_EQ(failure.kind, Kind::corrupt) << failure.sentence;
  EXPECT_EQ(open_repository(mirror_)->tip("main"), first);
  EXPECT_EQ(fetched(upstream_).move, Tip::Move::same);
}

TEST_F(FetchFaultsTest, SaysThatABranchWasDeleted) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const Source source = resolve_source(upstream_, "origin", "main");
  git({"branch", "-m", "main", "trunk"});
  const auto result = fetch(mirror_, source, {FETCH_CHILD, 60s});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::no_branch);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("it has trunk"), std::string::npos);
  EXPECT_EQ(open_repository(mirror_)->tip("main"), first);
}

TEST_F(FetchFaultsTest, GoesOnAfterAKilledFetch) {
  commit("a", "1");
  fetched(upstream_);
  write(mirror_ / "refs/tandem/main.lock", "");
  write(mirror_ / "packed-refs.lock", "");
  write(mirror_ / "objects/pack/pack_git2_a1b2c3", "half");
  write(mirror_.string() + ".new/HEAD", "half");
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(upstream_).id, second);
  EXPECT_FALSE(fs::exists(mirror_ / "objects/pack/pack_git2_a1b2c3"));
}

TEST_F(FetchFaultsTest, LosesNothingWhenKilledAtAnyMoment) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  std::string last;
  for (int milliseconds = 1; milliseconds <= 40; ++milliseconds) {
    last = commit("a", std::to_string(milliseconds));
    const auto result = fetch_from(server.url("upstream"), "main", std::chrono::milliseconds{milliseconds});
    if (const auto* failure = std::get_if<FetchFailure>(&result)) {
      EXPECT_EQ(failure->kind, Kind::timed_out) << failure->sentence;
    }
  }
  EXPECT_EQ(fetched(server.url("upstream")).id, last);
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(FetchFaultsTest, MakesAVanishedOrDamagedMirrorAgain) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  fs::remove_all(mirror_);
  EXPECT_EQ(fetched(upstream_).id, first);
  fs::remove(mirror_ / "HEAD");
  EXPECT_EQ(fetched(upstream_).id, first);
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));
}

TEST_F(FetchFaultsTest, DownloadsEverythingWhenTheSeedIsIncomplete) {
  commit("a", "1");
  const std::string last = commit("a", "2");
  const fs::path partial = temporary_.path() / "partial";
  git({"clone", "--quiet", "--no-local", upstream_, partial});
  for (const auto& entry : fs::directory_iterator(partial / ".git/objects/pack")) {
    write(fs::path(entry.path()).replace_extension(".promisor"), "");
  }
  EXPECT_EQ(fetched(partial).id, last);
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(FetchFaultsTest, SaysWhyTheChildCouldNotStart) {
  commit("a", "1");
  const auto result =
      fetch(mirror_, resolve_source(upstream_, "origin", "main"), {"/nonexistent/tandem", 60s});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::internal);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace tandem::builders
