#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "builders/fetch.hpp"
#include "builders/git/repack.hpp"
#include "builders/repository.hpp"
#include "loopback.hpp"
#include "repository_fixture.hpp"
#include "servers.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using MirrorFaultsTest = GitTest;
using Kind = FetchFailure::Kind;
using namespace std::chrono_literals;

TEST_F(MirrorFaultsTest, GoesOnAfterAKilledFetch) {
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

TEST_F(MirrorFaultsTest, LosesNothingWhenKilledAtAnyMoment) {
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

TEST_F(MirrorFaultsTest, GoesOnAfterItsChildIsKilled) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const Listener silent;
  const std::string url = fmt::format("git://127.0.0.1:{}/x", silent.port());
  const fs::path program = temporary_.path() / "program";
  // The child of the child's place: it tells its number and becomes the real one.
  write_script(program, fmt::format("echo $$ > {0}/pid\nexec {1} \"$@\"\n", temporary_.path().string(),
                                    tests::paths::fetch_child));
  int client = -1;
  std::thread killer([&] {
    client = ::accept(silent.socket(), nullptr, nullptr);
    ::kill(std::stoi(read(temporary_.path() / "pid")), SIGKILL);
  });
  const auto result = fetch(mirror_, {url, url, "main", {}}, {program, 600s});
  killer.join();
  ::close(client);
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::internal);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("killed by signal 9"), std::string::npos)
      << std::get<FetchFailure>(result).sentence;
  EXPECT_EQ(open_repository(mirror_)->tip("main"), first);
  EXPECT_EQ(fetched(upstream_).move, Tip::Move::same) << "its lock went with it";
}

TEST_F(MirrorFaultsTest, GivesAFetchThatMovesMoreTime) {
  const std::string first = commit("a", "1");
  const fs::path program = temporary_.path() / "program";
  // It takes longer than the deadline in all, and never as long without a sign.
  write_script(
      program,
      fmt::format(
          "[ \"$BASH_VERSION\" ] || exec bash \"$0\" \"$@\"\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
          "  echo progress >&$TANDEM_FETCH_CHANNEL\n  sleep 0.5\ndone\n"
          "exec {} \"$@\"\n",
          tests::paths::fetch_child));
  const auto result = fetch(mirror_, source_of(upstream_), {program, 4s});
  ASSERT_TRUE(std::holds_alternative<Tip>(result)) << std::get<FetchFailure>(result).sentence;
  EXPECT_EQ(std::get<Tip>(result).id, first);
}

TEST_F(MirrorFaultsTest, MakesAMirrorSetAsideAgain) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  damage(git({"rev-parse", "HEAD:a"}));
  const auto check_out = [&] {
    fs::remove_all(temporary_.path() / "tree");
    fs::create_directories(temporary_.path() / "tree");
    const auto opened = open_repository(mirror_);
    return opened->checkout(opened->find(first).value(), temporary_.path() / "tree");
  };
  const auto failure = check_out();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::corrupt) << failure->sentence;
  set_mirror_aside(mirror_);
  EXPECT_FALSE(fs::exists(mirror_));
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));
  EXPECT_EQ(fetched(upstream_).id, first);
  EXPECT_FALSE(check_out());
  set_mirror_aside(temporary_.path() / "no/mirror/yet");
}

TEST_F(MirrorFaultsTest, DoesNotCallAMirrorDamagedForWantOfDescriptors) {
  commit("a", "1");
  fetched(upstream_);
  const Variable url(fetch_protocol::url_variable, upstream_);
  int failed = 0;
  for (rlim_t left = 0; left < 24; ++left) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int next = ::open("/dev/null", O_RDWR);
      ::dup2(next, STDOUT_FILENO);
      const rlimit few{static_cast<rlim_t>(next) + left, static_cast<rlim_t>(next) + left};
      ::close(next);
      ::setrlimit(RLIMIT_NOFILE, &few);
      ::_exit(fetch_in_child({mirror_, "main"}));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << left;
    if (WEXITSTATUS(status) != 0) ++failed;
    ASSERT_FALSE(fs::exists(mirror_.string() + ".damaged")) << left << " descriptors";
  }
  EXPECT_GT(failed, 2) << "so few cannot have been enough";
  EXPECT_LT(failed, 24);
  EXPECT_EQ(fetched(upstream_).move, Tip::Move::same);
}

TEST_F(MirrorFaultsTest, DoesNotCallAMirrorDamagedForTheSettingsOfTheUser) {
  commit("a", "1");
  fetched(upstream_);
  write(temporary_.path() / "home/.gitconfig", "[core\nnonsense\n");
  const Variable home("HOME", temporary_.path() / "home");
  const auto result = fetch_from(upstream_);
  EXPECT_FALSE(fs::exists(mirror_.string() + ".damaged"));
  ASSERT_TRUE(std::holds_alternative<FetchFailure>(result));
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("cannot open the mirror"), std::string::npos)
      << std::get<FetchFailure>(result).sentence;
}

/// A commit that was pushed away and is pinned in the mirror.
class PinnedTest : public GitTest {
 protected:
  PinnedTest() {
    commit("a", "root");
    fetched(upstream_);
    culprit_ = commit("b", "slower");
    fetched(upstream_);
    git({"reset", "-q", "--hard", "HEAD^"});
    commit("a", "on");
    fetched(upstream_);
    RepackOptions options;
    options.most_packs = 1;
    EXPECT_EQ(keep_packs_few(mirror_, {culprit_}, options), std::nullopt);
    EXPECT_TRUE(fs::exists(pin_in(mirror_)));
  }

  [[nodiscard]] fs::path pin_in(const fs::path& mirror) const {
    return mirror / "refs/tandem-keep" / culprit_;
  }

  std::string culprit_;
};

TEST_F(PinnedTest, IsBroughtBackFromADamagedMirror) {
  for (const char* what : {"damaged", "damaged again"}) {
    fs::remove(mirror_ / "HEAD");
    fetched(upstream_);
    const auto repository = open_repository(mirror_);
    ASSERT_TRUE(repository->find(culprit_)) << what;
    EXPECT_EQ(repository->facts(culprit_).files, std::vector<std::string>{"b"});
    EXPECT_TRUE(fs::exists(pin_in(mirror_)));
    EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
  }
  EXPECT_FALSE(fs::exists(mirror_.string() + ".damaged.2")) << "all of it has been brought back";
}

TEST_F(PinnedTest, IsBroughtBackThoughTheHistoryBesideItIsDamaged) {
  damage(git({"rev-parse", "HEAD:a"}));
  set_mirror_aside(mirror_);
  fetched(upstream_);
  EXPECT_TRUE(open_repository(mirror_)->find(culprit_));
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(PinnedTest, IsNotDeletedWhereItCannotBeBroughtBack) {
  damage(git({"rev-parse", culprit_ + ":b"}));
  set_mirror_aside(mirror_);
  fetched(upstream_);
  EXPECT_FALSE(fs::exists(pin_in(mirror_)));
  EXPECT_TRUE(fs::exists(pin_in(mirror_.string() + ".damaged")));
  set_mirror_aside(mirror_);
  fetched(upstream_);
  EXPECT_TRUE(fs::exists(pin_in(mirror_.string() + ".damaged.2")));
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));
}

TEST_F(MirrorFaultsTest, KeepsATagWhoseCommitCannotBeRead) {
  commit("a", "1");
  git({"tag", "v1"});
  fetched(upstream_);
  commit("a", "2");
  fetched(upstream_);
  std::set<fs::path> before;
  for (const auto& entry : fs::directory_iterator(mirror_ / "objects/pack")) before.insert(entry.path());
  const std::string second = git({"rev-parse", "HEAD"});
  commit("a", "3");
  fetched(upstream_);
  git({"tag", "--force", "v1", second});
  for (const fs::path& file : before) {
    if (file.extension() != ".pack") continue;
    // Not the seed's file, which may be the same.
    const std::string bytes = read(file);
    fs::remove(file);
    write(file, bytes.substr(0, bytes.size() / 2));
  }
  static_cast<void>(fetch_from(upstream_));
  EXPECT_NE(git({"for-each-ref", "--format=%(refname)", "refs/tags"}, mirror_).find("refs/tags/v1"),
            std::string::npos);
}

TEST_F(MirrorFaultsTest, DoesNotTakeObjectsThatACrashCutShort) {
  commit("a", "1");
  fetched(upstream_);
  const std::string last = commit("a", std::string(5000, 'x') + "2");
  const std::string id = git({"rev-parse", "HEAD:a"});
  const fs::path object = upstream_ / ".git/objects" / id.substr(0, 2) / id.substr(2);
  fs::permissions(object, fs::perms::owner_write, fs::perm_options::add);
  const std::string whole = read(object);
  for (const std::size_t left : {std::size_t{0}, std::size_t{5}, whole.size() - 1}) {
    fs::resize_file(object, left);
    const auto failure = not_fetched(upstream_);
    EXPECT_EQ(failure.kind, Kind::corrupt) << failure.sentence;
    EXPECT_NE(failure.sentence.find("git fsck"), std::string::npos) << failure.sentence;
    write(object, whole);
  }
  EXPECT_EQ(fetched(upstream_).id, last);
}

TEST_F(MirrorFaultsTest, DoesNotTakeACutObjectFromTheSeed) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  git({"clone", "--quiet", "--no-hardlinks", upstream_, clone});
  const std::string id = git({"rev-parse", "HEAD:a"});
  const fs::path object = clone / ".git/objects" / id.substr(0, 2) / id.substr(2);
  fs::permissions(object, fs::perms::owner_write, fs::perm_options::add);
  fs::resize_file(object, 5);
  fetched(clone);
  EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
}

TEST_F(MirrorFaultsTest, MakesAVanishedOrDamagedMirrorAgain) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  fs::remove_all(mirror_);
  EXPECT_EQ(fetched(upstream_).id, first);
  fs::remove(mirror_ / "HEAD");
  EXPECT_EQ(fetched(upstream_).id, first);
  EXPECT_TRUE(fs::exists(mirror_.string() + ".damaged"));
}

TEST_F(MirrorFaultsTest, DownloadsEverythingWhenTheSeedIsIncomplete) {
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

}  // namespace
}  // namespace tandem::builders
