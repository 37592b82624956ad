#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "builders/work_directory.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/process_identity.hpp"

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
  write(state.path() / "work/01.lock", "");
  write(state.path() / "work/01/dead", "x");
  clean_work(state.path());
  EXPECT_TRUE(fs::exists(slot.path() / "alive"));
  EXPECT_FALSE(fs::exists(state.path() / "work/01"));
}

TEST(WorkSlot, NeverTouchesADirectoryThatItDidNotMake) {
  const TemporaryDirectory state;
  write(state.path() / "work/00/plan", "mine");
  write(state.path() / "work/07/letters", "mine");
  clean_work(state.path());
  {
    const WorkSlot slot(state.path());
    EXPECT_EQ(slot.path().filename(), "01");
  }
  clean_work(state.path());
  EXPECT_TRUE(fs::exists(state.path() / "work/00/plan"));
  EXPECT_TRUE(fs::exists(state.path() / "work/07/letters"));
}

/// Started in `directory` with this HOME; it sleeps until it is killed.
pid_t sleeper(const fs::path& directory, const fs::path& home) {
  const std::string variable = "HOME=" + home.string();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setsid() < 0 || ::chdir(directory.c_str()) != 0) ::_exit(1);
    const char* const arguments[] = {"sleep", "600", nullptr};
    const char* const environment[] = {variable.c_str(), nullptr};
    ::execve("/bin/sleep", const_cast<char* const*>(arguments), const_cast<char* const*>(environment));
    ::_exit(1);
  }
  return child;
}

bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end + 2, 1, "Z") != 0;
}

/// A build in this slot that is killed with the process that started it, and what its script had started in
/// the background; the script is `begins` and then waits.
std::vector<pid_t> left_by_a_killed_build(const fs::path& slot, const std::string& begins) {
  fs::create_directories(slot / "home");
  write(slot.string() + ".lock", "");
  const fs::path script = slot / "script";
  const fs::path started = slot / "started";
  write_script(script, begins + "\necho $! $$ > " + started.string() + ".new; mv " + started.string() +
                           ".new " + started.string() + "\nwait\n");
  const pid_t builder = ::fork();
  if (builder == 0) {
    runners::Command command;
    command.argv = {script};
    command.environment = {"HOME=" + (slot / "home").string(), "PATH=/usr/bin:/bin"};
    static_cast<void>(run_noted(slot, command, {}, {}));
    ::_exit(0);
  }
  while (!fs::exists(started) || !fs::exists(slot.string() + ".started")) std::this_thread::yield();
  ::kill(builder, SIGKILL);
  int status = 0;
  ::waitpid(builder, &status, 0);
  std::ifstream file(started);
  std::vector<pid_t> pids;
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

class LeftBehind : public testing::Test {
 protected:
  const TemporaryDirectory state_;
  const fs::path slot_ = fs::absolute(state_.path()) / "work/00";
};

TEST_F(LeftBehind, DiesWithAClearedEnvironmentToo) {
  const auto left = left_by_a_killed_build(slot_, "env -i sleep 600 &");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_TRUE(runs(left[0])) << "the script dies with its builder, not what it started";
  clean_work(state_.path());
  for (const pid_t pid : left) EXPECT_FALSE(runs(pid)) << "a build that was left behind still runs";
  EXPECT_FALSE(fs::exists(slot_));
  EXPECT_FALSE(fs::exists(slot_.string() + ".started"));
}

TEST_F(LeftBehind, IsNotAPersonWithTheSameHome) {
  const auto left = left_by_a_killed_build(slot_, "sleep 600 &");
  const pid_t reproduces = sleeper("/", slot_ / "home");
  const pid_t looks_around = sleeper(slot_, "/");
  clean_work(state_.path());
  for (const pid_t pid : left) EXPECT_FALSE(runs(pid));
  for (const pid_t person : {reproduces, looks_around}) {
    EXPECT_TRUE(runs(person)) << "a person's process was killed";
    ::kill(person, SIGKILL);
    int status = 0;
    ::waitpid(person, &status, 0);
  }
}

TEST_F(LeftBehind, IsNobodyWhoGotItsNumberLater) {
  fs::create_directories(slot_);
  write(slot_.string() + ".lock", "");
  const pid_t stranger = sleeper("/", "/");
  const std::string identity = tandem::process_identity(stranger);
  const std::string boot = identity.substr(0, identity.find('/'));
  // The same number of an earlier process, and the same process before the host was started again.
  for (const std::string& noted : {boot + "/1", "another-boot" + identity.substr(boot.size())}) {
    write(slot_.string() + ".started", std::to_string(stranger) + " " + noted + "\n");
    fs::create_directories(slot_);
    clean_work(state_.path());
    EXPECT_TRUE(runs(stranger)) << noted;
  }
  ::kill(stranger, SIGKILL);
  int status = 0;
  ::waitpid(stranger, &status, 0);
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
