#include "runners/pairing/measuring_lock.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

class MeasuringLockTest : public testing::Test {
 protected:
  MeasuringLockTest() { ::setenv("TANDEM_LOCK_FILE", (directory_.path() / "lock").c_str(), 1); }
  ~MeasuringLockTest() override { ::unsetenv("TANDEM_LOCK_FILE"); }
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "lock"; }
  tests::TemporaryDirectory directory_;
};

TEST_F(MeasuringLockTest, LetsOneMeasureAtATimeAndSaysWhoDoes) {
  auto first = std::make_unique<MeasuringLock>(nullptr);
  ASSERT_TRUE(first->held());
  std::string told;
  std::jthread second([&] {
    const MeasuringLock lock([&](const std::string& holder) {
      told = holder;
      first.reset();
    });
    EXPECT_TRUE(lock.held());
  });
  second.join();
  EXPECT_EQ(told, "process " + std::to_string(::getpid()));
}

TEST_F(MeasuringLockTest, GivesUpWaitingWhenStopped) {
  const MeasuringLock first(nullptr);
  std::stop_source source;
  const MeasuringLock second([&](const std::string&) { source.request_stop(); }, source.get_token());
  EXPECT_FALSE(second.held());
}

TEST_F(MeasuringLockTest, IsAFileOfItsOwnerAndOneGroup) {
  const MeasuringLock lock(nullptr);
  ASSERT_TRUE(lock.held());
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0660U);
  const auto* group = ::getgrnam("tandem");
  EXPECT_EQ(facts.st_gid, group != nullptr ? group->gr_gid : ::getegid());
}

TEST_F(MeasuringLockTest, ClosesAFileThatAnEarlierVersionLeftOpenToEverybody) {
  std::ofstream(file()) << "process 1";
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  const MeasuringLock lock(nullptr);
  EXPECT_TRUE(lock.held());
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0660U);
}

/// In a child without our rights, as far as we may give them up: nobody's user and group as root, else the
/// file is closed to its own owner.
int as_somebody_else(const std::filesystem::path& closed, const std::function<int()>& work) {
  if (::geteuid() != 0) ::chmod(closed.c_str(), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
      ::_exit(99);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (::geteuid() != 0) ::chmod(closed.c_str(), 0660);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST_F(MeasuringLockTest, LetsSomebodyOutsideTheGroupMeasureAndSaysThatTheHostIsNotCoordinated) {
  ASSERT_EQ(::chmod(directory_.path().c_str(), 01777), 0);
  const MeasuringLock held(nullptr);
  ASSERT_TRUE(held.held());
  const int outcome = as_somebody_else(file(), [] {
    const MeasuringLock lock(nullptr);
    if (lock.held()) return 1;
    return lock.uncoordinated().find("not coordinated") != std::string::npos ? 0 : 2;
  });
  EXPECT_EQ(outcome, 0);
  EXPECT_EQ(held.uncoordinated(), "");
}

/// Somebody who is neither root nor of the group makes the file first, opens it to all and keeps its lock.
TEST_F(MeasuringLockTest, IsNotHeldForEverByAStrangerWhoMadeTheFileFirst) {
  if (::geteuid() != 0) GTEST_SKIP() << "no second user without root";
  ASSERT_EQ(::chmod(directory_.path().c_str(), 01777), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(99);
    const int lock = ::open(file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0 || ::fchmod(lock, 0666) != 0 || ::flock(lock, LOCK_EX) != 0) ::_exit(98);
    static_cast<void>(::write(ends[1], "h", 1) == 1);
    ::pause();
  }
  char word = 0;
  ASSERT_EQ(::read(ends[0], &word, 1), 1);
  {
    std::stop_source waited;
    const MeasuringLock lock([&](const std::string&) { waited.request_stop(); }, waited.get_token());
    EXPECT_TRUE(lock.held()) << lock.uncoordinated();
  }
  ASSERT_EQ(::chown(file().c_str(), 1234, 1234), 0);
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  const int outcome = as_somebody_else(file(), [] {
    const MeasuringLock lock(nullptr);
    return !lock.held() && lock.uncoordinated().find("not coordinated") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(outcome, 0) << "a user may not wait for a stranger either";
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

/// Only what coordinates the host's people is for a group; a lock in somebody's own directory is theirs.
TEST_F(MeasuringLockTest, LeavesOtherLocksToTheirOwner) {
  const FileLock lock(file());
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
  EXPECT_EQ(facts.st_gid, ::getegid());
}

TEST_F(MeasuringLockTest, TellsEverybodyWhetherALockIsHeld) {
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
  EXPECT_FALSE(is_locked(file()));
  {
    const MeasuringLock held(nullptr);
    EXPECT_TRUE(is_locked(file()));
    EXPECT_EQ(as_somebody_else(file(), [&] { return is_locked(file()) ? 1 : 0; }), 1);
  }
  EXPECT_FALSE(is_locked(file()));
  EXPECT_EQ(as_somebody_else(file(), [&] { return is_locked(file()) ? 1 : 0; }), 0);
}

TEST_F(MeasuringLockTest, ShowsNothingOfAHolderButItsNumber) {
  FileLock lock(file());
  ASSERT_TRUE(lock.try_lock());
  std::ofstream(file()) << "process 7\x1b]0;owned\x07";
  EXPECT_EQ(lock.holder(), "process 7");
  std::ofstream(file()) << "\x1b[2J";
  EXPECT_EQ(lock.holder(), "another process");
}

TEST_F(MeasuringLockTest, GivesAWaitingPersonTheLockBeforeTheDaemonTakesItAgain) {
  for (int round = 0; round < 5; ++round) {
    auto daemon = std::make_unique<MeasuringLock>(nullptr, std::stop_token{}, MeasuringLock::Asker::daemon);
    ASSERT_TRUE(daemon->held());
    std::promise<void> waits;
    std::atomic<bool> measured = false;
    std::jthread person([&] {
      const MeasuringLock lock([&](const std::string&) { waits.set_value(); });
      EXPECT_TRUE(lock.held());
      measured = true;
    });
    waits.get_future().wait();
    daemon.reset();
    const MeasuringLock again(nullptr, {}, MeasuringLock::Asker::daemon);
    EXPECT_TRUE(again.held());
    EXPECT_TRUE(measured) << "the daemon came first in round " << round;
  }
}

TEST_F(MeasuringLockTest, ForgetsAPersonWhoWasKilledWhileWaiting) {
  auto daemon = std::make_unique<MeasuringLock>(nullptr, std::stop_token{}, MeasuringLock::Asker::daemon);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t person = ::fork();
  if (person == 0) {
    const MeasuringLock lock([&](const std::string&) { static_cast<void>(::write(ends[1], "w", 1) == 1); });
    ::_exit(0);
  }
  char word = 0;
  ASSERT_EQ(::read(ends[0], &word, 1), 1);
  ::kill(person, SIGKILL);
  ::waitpid(person, nullptr, 0);
  daemon.reset();
  bool told = false;
  const MeasuringLock again([&](const std::string&) { told = true; }, {}, MeasuringLock::Asker::daemon);
  EXPECT_TRUE(again.held());
  EXPECT_FALSE(told) << "nobody waits any more";
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tandem::runners
