#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "builders/fetch.hpp"
#include "builders/repository.hpp"
#include "loopback.hpp"
#include "repository_fixture.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using FetchFaultsTest = GitTest;
using Kind = FetchFailure::Kind;
using namespace std::chrono_literals;

/// The length in front of a line as git's protocol wants it.
std::string packet(const std::string& line) {
  return fmt::format("{:04x}{}", line.size() + 4, line);
}

TEST_F(FetchFaultsTest, GoesOnWithAnInterruptedFirstFetch) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  std::mt19937 random(1);
  std::string last;
  for (int version = 1; version <= 40; ++version) {
    std::string text(20'000, 'x');  // which no compression makes small
    for (char& letter : text) letter = static_cast<char>(random());
    last = commit(fmt::format("file{}", version), text);
    git({"tag", "--annotate", "--message=x", fmt::format("v0.{}", version)});
  }
  git({"tag", "a-file", "HEAD:file7"});
  // A connection that always breaks: none of the attempts gets half of what the history takes.
  std::size_t left = 0;
  ScriptedServer breaking([&](int client) { left = relay(client, server.port(), left); });
  const std::string url = fmt::format("git://127.0.0.1:{}/upstream", breaking.port());
  int attempts = 0;
  std::variant<Tip, FetchFailure> result;
  do {
    left = 300'000;
    result = fetch_from(url);
  } while (++attempts < 12 && std::holds_alternative<FetchFailure>(result));
  ASSERT_TRUE(std::holds_alternative<Tip>(result)) << std::get<FetchFailure>(result).sentence;
  EXPECT_GE(attempts, 3) << "800 kB do not pass in two attempts";
  EXPECT_EQ(std::get<Tip>(result).id, last);
  EXPECT_EQ(std::get<Tip>(result).move, Tip::Move::first);
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
  EXPECT_EQ(git({"for-each-ref", "refs/part"}, mirror_), "") << "they were for the way only";
  left = 1'000'000;
  EXPECT_EQ(fetched(url).move, Tip::Move::same);
  EXPECT_NE(git({"tag", "--list"}, mirror_).find("v0.40"), std::string::npos);
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
  const Source source = resolve_source({.repo_dir = upstream_, .branch = "main"});
  fs::remove_all(upstream_);
  const auto result = fetch(mirror_, source, {tests::paths::fetch_child, 60s});
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
  const auto result =
      fetch(mirror_, {url, url, "main", {}}, {tests::paths::fetch_child, 600s}, stop.get_token());
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

TEST_F(FetchFaultsTest, KeepsTheOldTipWhenTheConnectionEndsHalfWay) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  const std::string first = commit("a", "1");
  fetched(server.url("upstream"));
  std::string noise;
  for (unsigned i = 0; i < 400'000; ++i) noise += static_cast<char>((i * i * 2654435761U) >> 23U);
  const std::string last = commit("a", noise);
  // Between the child and the real server, until so many bytes of the answer have passed.
  for (const std::size_t most : {10U, 300U, 700U, 5'000U, 100'000U}) {
    const ScriptedServer cutting([&](int client) { relay(client, server.port(), most); });
    const auto failure = not_fetched(fmt::format("git://127.0.0.1:{}/upstream", cutting.port()));
    EXPECT_TRUE(failure.kind == Kind::unreachable || failure.kind == Kind::corrupt)
        << most << " " << name_of(failure.kind) << " " << failure.sentence;
    EXPECT_EQ(open_repository(mirror_)->tip("main"), first);
  }
  EXPECT_EQ(fetched(server.url("upstream")).id, last);
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(FetchFaultsTest, RefusesAShallowServer) {
  const GitDaemon server(temporary_.path());
  if (!server.ready()) GTEST_SKIP() << "git daemon is not installed";
  commit("a", "1");
  commit("a", "2");
  git({"clone", "--quiet", "--bare", "--depth=1", "file://" + upstream_.string(),
       temporary_.path() / "shallow"});
  for (const std::string& url :
       {server.url("shallow"), "file://" + (temporary_.path() / "shallow").string()}) {
    const auto failure = not_fetched(url);
    EXPECT_EQ(failure.kind, Kind::refused) << failure.sentence;
    EXPECT_NE(failure.sentence.find("shallow"), std::string::npos) << failure.sentence;
    EXPECT_NE(failure.sentence.find("--unshallow"), std::string::npos) << failure.sentence;
  }
}

TEST_F(FetchFaultsTest, RefusesAPartialClone) {
  commit("a", "1");
  commit("a", "2");
  git({"config", "uploadpack.allowFilter", "true"});
  const fs::path partial = temporary_.path() / "partial";
  git({"clone", "--quiet", "--bare", "--filter=blob:none", "file://" + upstream_.string(), partial});
  const auto failure = not_fetched("file://" + partial.string());
  EXPECT_EQ(failure.kind, Kind::refused) << failure.sentence;
  EXPECT_NE(failure.sentence.find("partial clone"), std::string::npos) << failure.sentence;
}

TEST_F(FetchFaultsTest, SaysThatABranchWasDeleted) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const Source source = resolve_source({.repo_dir = upstream_, .branch = "main"});
  git({"branch", "-m", "main", "trunk"});
  const auto result = fetch(mirror_, source, {tests::paths::fetch_child, 60s});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::no_branch);
  const std::string& sentence = std::get<FetchFailure>(result).sentence;
  EXPECT_NE(sentence.find("it has trunk"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("it was there before"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(first), std::string::npos) << sentence;
  EXPECT_EQ(open_repository(mirror_)->tip("main"), first);
}

TEST_F(FetchFaultsTest, SaysWhyTheChildCouldNotStart) {
  commit("a", "1");
  const auto result =
      fetch(mirror_, resolve_source({.repo_dir = upstream_, .branch = "main"}), {"/nonexistent/tandem", 60s});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::internal);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace tandem::builders
