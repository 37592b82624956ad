#include <fmt/format.h>

#include <thread>

#include "builders/hg/repository.hpp"
#include "builders/repository.hpp"
#include "servers.hpp"

namespace tandem::builders {
namespace {

using namespace std::chrono_literals;
using HgFetchTest = HgTest;
using Kind = FetchFailure::Kind;

TEST_F(HgFetchTest, TellsHowTheBranchMoved) {
  const std::string first = commit("a", "1");
  Tip tip = fetched(upstream_);
  EXPECT_EQ(tip.id, first);
  EXPECT_EQ(tip.move, Tip::Move::first);
  EXPECT_EQ(fetched(upstream_).move, Tip::Move::same);
  const std::string second = commit("a", "2");
  tip = fetched(upstream_);
  EXPECT_EQ(tip.id, second);
  EXPECT_EQ(tip.previous, first);
  EXPECT_EQ(tip.move, Tip::Move::forward);

  hg({"--config", "extensions.strip=", "strip", "--no-backup", second});
  const std::string other = commit("a", "three");
  tip = fetched(upstream_);
  EXPECT_EQ(tip.id, other);
  EXPECT_EQ(tip.previous, second);
  EXPECT_EQ(tip.move, Tip::Move::rewritten);
  EXPECT_EQ(open_repository(mirror_)->tip("default"), other);
  EXPECT_TRUE(open_repository(mirror_)->find(second)) << "what was examined stays known";

  hg({"--config", "extensions.strip=", "strip", "--no-backup", other});
  tip = fetched(upstream_);
  EXPECT_EQ(tip.id, first);
  EXPECT_EQ(tip.move, Tip::Move::rewritten);
}

TEST_F(HgFetchTest, FetchesFromAServer) {
  const std::string first = commit("a", "1");
  const HgServer server(upstream_);
  if (!server.ready()) GTEST_SKIP() << "hg serve does not start";
  EXPECT_EQ(fetched(server.url()).id, first);
  const std::string second = commit("a", "2");
  const Tip tip = fetched(server.url());
  EXPECT_EQ(tip.id, second);
  EXPECT_EQ(tip.move, Tip::Move::forward);
  EXPECT_EQ(fetched(server.url()).move, Tip::Move::same);
  const auto failure = not_fetched(server.url(), "defualt");
  EXPECT_EQ(failure.kind, Kind::no_branch) << failure.sentence;
  EXPECT_NE(failure.sentence.find("it has default"), std::string::npos) << failure.sentence;
}

TEST_F(HgFetchTest, FollowsNamedBranchesBookmarksAndTags) {
  const std::string root = commit("a", "1");
  hg({"tag", "--date", "1700000700 0", "v1"});
  const std::string tagging = node();
  hg({"branch", "--quiet", "release 1.x"});
  const std::string release = commit("b", "1");
  hg({"update", "--quiet", tagging});
  const std::string feature = commit("c", "1");
  hg({"bookmark", "feature"});
  hg({"update", "--quiet", tagging});
  const std::string newest = commit("d", "1");
  for (const auto& [name, id] : std::vector<std::pair<std::string, std::string>>{
           {"release 1.x", release}, {"feature", feature}, {"v1", root}, {"default", newest}}) {
    EXPECT_EQ(fetched(upstream_, name).id, id) << name;
    EXPECT_EQ(open_repository(mirror_)->tip(name), id) << name;
  }
  EXPECT_EQ(open_repository(mirror_)->find("release 1.x")->id, release);
  EXPECT_EQ(open_repository(mirror_)->find("v1")->id, root);
}

TEST_F(HgFetchTest, TakesNeitherNumbersNorHashesForBranches) {
  const std::string first = commit("a", "1");
  for (const std::string& name : {std::string("0"), std::string("-1"), first.substr(0, 8), first,
                                  std::string("null"), std::string(".")}) {
    const auto failure = not_fetched(upstream_, name);
    EXPECT_EQ(failure.kind, Kind::no_branch) << name << ": " << failure.sentence;
  }
  hg({"branch", "--quiet", "2024.1"});
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(upstream_, "2024.1").id, second);
}

TEST_F(HgFetchTest, TouchesNothingInTheRepositoryAndRunsNothingOfIt) {
  commit("a", "1");
  hg({"tag", "--date", "1700000700 0", "v1"});
  const fs::path trace = temporary_.path() / "trace";
  write(upstream_ / ".hg/hgrc", fmt::format("[hooks]\noutgoing = touch '{0}'\npreoutgoing = touch '{0}'\n"
                                            "[extensions]\nplanted = {0}.py\n",
                                            trace.string()));
  write(trace.string() + ".py", fmt::format("open('{}', 'w')\n", trace.string()));
  fs::remove_all(upstream_ / ".hg/cache");
  const std::string before = fingerprint(upstream_);
  const Tip tip = fetched(upstream_);
  EXPECT_EQ(fetched(upstream_, "v1").move, Tip::Move::first);
  EXPECT_EQ(not_fetched("file://" + upstream_.string(), "other").kind, Kind::no_branch);
  const auto repository = open_repository(mirror_);
  fs::create_directories(temporary_.path() / "tree");
  EXPECT_FALSE(repository->checkout(repository->find(tip.id).value(), temporary_.path() / "tree"));
  EXPECT_EQ(fingerprint(upstream_), before);
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(HgFetchTest, TakesTheHistoryOfACloneAndTheBranchOfItsOrigin) {
  commit("a", "1");
  const HgServer server(upstream_);
  if (!server.ready()) GTEST_SKIP() << "hg serve does not start";
  const fs::path clone = temporary_.path() / "clone";
  hg({"clone", "--quiet", server.url(), clone.string()}, temporary_.path());
  const std::string second = commit("a", "2");
  const std::string before = fingerprint(clone);
  EXPECT_EQ(fetched(clone).id, second);
  EXPECT_EQ(fingerprint(clone), before);
}

TEST_F(HgFetchTest, CallsAClosedPortUnreachable) {
  Listener listener;
  const int port = listener.port();
  listener.close();
  const auto failure = not_fetched(fmt::format("http://user:secret@127.0.0.1:{}/x", port));
  EXPECT_EQ(failure.kind, Kind::unreachable) << failure.sentence;
  EXPECT_EQ(failure.sentence.find("secret"), std::string::npos) << failure.sentence;
}

TEST_F(HgFetchTest, CallsAVanishedPathUnreachable) {
  commit("a", "1");
  const Source source = source_of(upstream_);
  fs::remove_all(upstream_);
  const auto result = fetch(mirror_, source, {});
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::unreachable)
      << std::get<FetchFailure>(result).sentence;
}

TEST_F(HgFetchTest, GivesUpAtTheDeadlineWhenAServerHangs) {
  const Listener silent;
  const auto failure = not_fetched(fmt::format("http://127.0.0.1:{}/x", silent.port()), "default", 1500ms);
  EXPECT_EQ(failure.kind, Kind::timed_out) << failure.sentence;
  EXPECT_NE(failure.sentence.find("1.5 s"), std::string::npos) << failure.sentence;
}

TEST_F(HgFetchTest, EndsOnRequest) {
  const Listener silent;
  std::stop_source stop;
  std::jthread later([&] { stop.request_stop(); });
  const auto result =
      fetch(mirror_, source_of(fmt::format("http://127.0.0.1:{}/x", silent.port())), {}, stop.get_token());
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::stopped);
}

TEST_F(HgFetchTest, ShowsATokenToTheServerOnlyAndSaysWhenItIsRefused) {
  // "me:hush" in the form of basic authentication.
  std::atomic<bool> shown = false;
  const ScriptedServer guarded([&](int client) {
    std::string request(8192, '\0');
    const ssize_t got = ::read(client, request.data(), request.size());
    request.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    if (request.find("bWU6aHVzaA==") != std::string::npos) shown = true;
    const std::string answer =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n";
    static_cast<void>(!::write(client, answer.data(), answer.size()));
  });
  token_file_ = temporary_.path() / "token";
  write_secret(token_file_, "me:hush\n");
  const auto failure = not_fetched(fmt::format("http://127.0.0.1:{}/x", guarded.port()));
  EXPECT_EQ(failure.kind, Kind::refused) << failure.sentence;
  EXPECT_TRUE(shown);
  EXPECT_EQ(failure.sentence.find("hush"), std::string::npos) << failure.sentence;
  EXPECT_FALSE(fs::exists(mirror_.string() + ".work")) << "the file with the token is gone";
}

TEST_F(HgFetchTest, RefusesATokenFileThatBecameReadable) {
  token_file_ = temporary_.path() / "token";
  write_secret(token_file_, "me:hush\n");
  const Source source = source_of("http://127.0.0.1:1/x");
  fs::permissions(token_file_, fs::perms::others_read, fs::perm_options::add);
  const auto result = fetch(mirror_, source, {});
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::refused);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("chmod 600"), std::string::npos)
      << std::get<FetchFailure>(result).sentence;
}

TEST_F(HgFetchTest, CallsAnAnswerThatIsNotMercurialUnreachable) {
  const ScriptedServer other([](int client) {
    char request[4096];
    static_cast<void>(!::read(client, request, sizeof request));
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    static_cast<void>(!::write(client, answer.data(), answer.size()));
  });
  const auto failure = not_fetched(fmt::format("http://127.0.0.1:{}/x", other.port()));
  EXPECT_EQ(failure.kind, Kind::unreachable) << failure.sentence;
}

TEST_F(HgFetchTest, LosesNothingWhenKilledAtAnyMoment) {
  commit("a", "1");
  std::string last;
  for (int step = 0; step < 10; ++step) {
    last = commit("a", std::to_string(step), std::string(200, 'x'));
    const auto result = fetch_from(upstream_, "default", std::chrono::milliseconds{20 + 90 * step});
    if (const auto* failure = std::get_if<FetchFailure>(&result)) {
      EXPECT_EQ(failure->kind, Kind::timed_out) << failure->sentence;
    }
  }
  EXPECT_EQ(fetched(upstream_).id, last);
  EXPECT_EQ(open_repository(mirror_)->first_parents(last)->size(), 11U);
  hg({"verify", "--quiet"}, mirror_);
}

TEST_F(HgFetchTest, MendsWhatAKilledPullLeft) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const std::string second = commit("a", "2");
  // A pull that dies inside its transaction: the hook kills it when all is written and nothing is closed.
  runners::Command command;
  command.argv = {"/usr/bin/hg", "-R",     mirror_, "--config", "hooks.pretxnchangegroup=kill -9 $PPID",
                  "pull",        upstream_};
  command.environment = {"PATH=/usr/bin:/bin", "HGRCPATH="};
  EXPECT_FALSE(run_command(command, {}).succeeded());
  ASSERT_TRUE(fs::exists(mirror_ / ".hg/store/journal"));
  EXPECT_EQ(open_repository(mirror_)->tip("default"), first);
  const Tip tip = fetched(upstream_);
  EXPECT_EQ(tip.id, second);
  EXPECT_EQ(tip.move, Tip::Move::forward) << "it was mended, not made again";
  hg({"verify", "--quiet"}, mirror_);
}

TEST_F(HgFetchTest, MakesAVanishedOrDamagedMirrorAgain) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  fs::remove_all(mirror_);
  EXPECT_EQ(fetched(upstream_).id, first);
  fs::remove(mirror_ / ".hg/requires");
  EXPECT_EQ(fetched(upstream_).id, first);
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));

  fs::remove_all(mirror_.string() + ".damaged");
  fs::remove(mirror_ / ".hg/store/00changelog.i");
  write(mirror_ / ".hg/store/00changelog.i", std::string(200, 'x'));
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(upstream_).id, second);
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));
}

TEST_F(HgFetchTest, WritesAListingAnewThatWasCutOrIsOfAnotherHistory) {
  commit("a", "1");
  const std::string second = commit("a", "2");
  fetched(upstream_);
  const fs::path listing = mirror_ / ".hg/tandem/commits";
  const std::string whole = read(listing);
  for (const std::string& damaged : {whole.substr(0, whole.size() - 7), whole + "half a li", whole.substr(20),
                                     whole.substr(whole.find('\n') + 1), std::string()}) {
    write(listing, damaged);
    const std::string last = commit("a", std::to_string(damaged.size()));
    EXPECT_EQ(fetched(upstream_).id, last);
    EXPECT_TRUE(read(listing).starts_with(whole));
    EXPECT_TRUE(open_repository(mirror_)->first_parents(last, second));
  }
}

TEST_F(HgFetchTest, SortsTheWordsOfHgIntoKinds) {
  EXPECT_EQ(kind_of_hg_failure("abort: No space left on device: '/x'"), Kind::disk);
  EXPECT_EQ(kind_of_hg_failure("abort: error: Name or service not known"), Kind::unreachable);
  EXPECT_EQ(
      kind_of_hg_failure("remote: git@x: Permission denied (publickey).\nabort: no suitable response from "
                         "remote hg"),
      Kind::refused);
  EXPECT_EQ(kind_of_hg_failure("abort: data/a@b789fdd96dc2: integrity check failed"), Kind::corrupt);
  EXPECT_EQ(kind_of_hg_failure("something new"), Kind::internal);
}

}  // namespace
}  // namespace tandem::builders
