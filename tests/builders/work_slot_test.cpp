#include "builders/work_slot.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>

#include "git_fixture.hpp"

namespace tandem::builders {
namespace {

TEST(WorkSlot, IsTheSamePathEachTimeAndEmpty) {
  const TemporaryDirectory state;
  fs::path first;
  {
    const WorkSlot slot(state.path());
    first = slot.path();
    write(slot.path() / "left", "over");
  }
  EXPECT_FALSE(fs::exists(first));
  write(first / "of a killed build", "x");
  const WorkSlot slot(state.path());
  EXPECT_EQ(slot.path(), first);
  EXPECT_TRUE(fs::is_empty(slot.path()));
}

TEST(WorkSlot, GivesASecondUserAnotherPathOfTheSameLength) {
  const TemporaryDirectory state;
  const WorkSlot one(state.path());
  const WorkSlot other(state.path());
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(one.path().string().size(), other.path().string().size());
}

TEST(WorkSlot, IsTheNextOneWhereTheFirstCannotBeEmptied) {
  const TemporaryDirectory state;
  const fs::path first = state.path() / "work/00";
  fs::create_directories(first / "busy");
  const pid_t child = ::fork();
  if (child == 0) {
    // What is mounted cannot be removed.
    if ((::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (first / "busy").c_str(), "tmpfs", 0, "size=1m") != 0) {
      ::_exit(77);
    }
    try {
      const WorkSlot slot(state.path());
      ::_exit(slot.path().filename() == "01" && fs::is_empty(slot.path()) ? 0 : 1);
    } catch (const std::exception&) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this host lets nobody mount";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(WorkSlot, CleaningSparesWhatIsInUse) {
  const TemporaryDirectory state;
  const WorkSlot slot(state.path());
  write(slot.path() / "alive", "x");
  write(state.path() / "work/01/dead", "x");
  clean_work(state.path());
  EXPECT_TRUE(fs::exists(slot.path() / "alive"));
  EXPECT_FALSE(fs::exists(state.path() / "work/01"));
}

/// Started in `directory` with this HOME; it sleeps until it is killed.
pid_t sleeper(const fs::path& directory, const fs::path& home) {
  const std::string variable = "HOME=" + home.string();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(directory.c_str()) != 0) ::_exit(1);
    const char* const arguments[] = {"sleep", "600", nullptr};
    const char* const environment[] = {variable.c_str(), nullptr};
    ::execve("/bin/sleep", const_cast<char* const*>(arguments), const_cast<char* const*>(environment));
    ::_exit(1);
  }
  return child;
}

void wait_until_it_is(pid_t child, const std::string& name) {
  for (std::string now; now != name;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/comm");
    if (!std::getline(file, now)) return;
    std::this_thread::yield();
  }
}

TEST(WorkSlot, CleaningKillsABuildButNobodyWhoMerelyStandsThere) {
  const TemporaryDirectory state;
  const fs::path slot = fs::absolute(state.path()) / "work/00";
  fs::create_directories(slot / "home");
  const pid_t build = sleeper("/", slot / "home");
  const pid_t person = sleeper(slot, "/");
  wait_until_it_is(build, "sleep");
  wait_until_it_is(person, "sleep");
  clean_work(state.path());
  int status = 0;
  EXPECT_EQ(::waitpid(person, &status, WNOHANG), 0) << "a person's process was killed";
  ::kill(person, SIGKILL);
  ::waitpid(person, &status, 0);
  const pid_t ended = ::waitpid(build, &status, WNOHANG);
  EXPECT_EQ(ended, build) << "a build that was left behind still runs";
  if (ended != build) {
    ::kill(build, SIGKILL);
    ::waitpid(build, &status, 0);
  }
}

TEST(WorkSlot, RemovesTreesWithReadOnlyDirectories) {
  const TemporaryDirectory folder;
  write(folder.path() / "a/b/c", "x");
  fs::permissions(folder.path() / "a/b", fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(folder.path() / "a", fs::perms::owner_read | fs::perms::owner_exec);
  remove_tree(folder.path() / "a");
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
}

}  // namespace
}  // namespace tandem::builders
