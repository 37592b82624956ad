#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runners/sandbox_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using std::chrono::milliseconds;
using tests::program;
using How = Finished::How;
namespace fs = std::filesystem;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

class SandboxLimitsTest : public SandboxTest {
 protected:
  [[nodiscard]] Command limited(const std::string& script) const {
    Command command = shell(script);
    command.sandbox->look_every = milliseconds{10};
    return command;
  }
};

TEST_F(SandboxLimitsTest, EndsWhatEatsTheMemory) {
  Command command = limited("");
  command.argv = {program("eats_memory"), "1500"};
  command.sandbox->mounts.push_back({program("eats_memory"), program("eats_memory")});
  command.sandbox->memory_bytes = 64 * mebibyte;
  const Finished finished = run(command);
  EXPECT_EQ(finished.how, How::over_memory) << describe(finished) << finished.errors;
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxLimitsTest, CountsTheMemoryOfAllProcessesTogether) {
  Command command = limited("for i in 1 2 3 4; do " + program("eats_memory").string() + " 30 & done; wait");
  command.sandbox->mounts.push_back({program("eats_memory"), program("eats_memory")});
  command.sandbox->memory_bytes = 90 * mebibyte;
  EXPECT_EQ(run(command).how, How::over_memory);
}

TEST_F(SandboxLimitsTest, CountsFilesThatLieInMemory) {
  Command command = limited(
      "dd if=/dev/zero of=/tmp/large bs=1M count=40 status=none; "
      "dd if=/dev/zero of=/dev/shm/large bs=1M count=40 status=none; sleep 1000");
  command.sandbox->memory_bytes = 64 * mebibyte;
  EXPECT_EQ(run(command).how, How::over_memory);
}

TEST_F(SandboxLimitsTest, EndsWhatStartsTooManyProcesses) {
  // A shell that gives up when no process can be started, rather than try again for half a minute.
  Command command = limited("exec dash -c 'for i in $(seq 100); do sleep 1000 & done; wait'");
  command.sandbox->processes = 20;
  EXPECT_EQ(run(command).how, How::over_processes);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxLimitsTest, EndsWhatFillsTheDisk) {
  // In a directory that cannot be listed, which must not hide anything.
  Command command = limited(
      "mkdir closed; chmod 300 closed; cd closed; for i in $(seq 40); do "
      "dd if=/dev/zero of=$i bs=1M count=1 status=none; done; sleep 1000");
  command.sandbox->disk_bytes = 10 * mebibyte;
  EXPECT_EQ(run(command).how, How::over_disk);
  fs::permissions(directory_.path() / "closed", fs::perms::owner_all);
}

TEST_F(SandboxLimitsTest, EndsAFileThatGrowsTooLargeEvenWhenNobodyLooks) {
  Command command = shell("exec dd if=/dev/zero of=large bs=1M count=40 status=none");
  command.sandbox->disk_bytes = 10 * mebibyte;
  command.sandbox->look_every = milliseconds{0};
  EXPECT_EQ(run(command).how, How::over_disk);
  EXPECT_LE(fs::file_size(directory_.path() / "large"), 10 * mebibyte);
}

TEST_F(SandboxLimitsTest, HoldsOnlyWhatTheProgramAddedAgainstIt) {
  std::ofstream(directory_.path() / "before") << std::string(20 * mebibyte, 'x');
  Command command = limited("ln -s /usr usr; sleep 0.3");
  command.sandbox->disk_bytes = 10 * mebibyte;
  EXPECT_TRUE(run(command).succeeded());
}

TEST_F(SandboxLimitsTest, LetsAnHonestProgramPass) {
  Command command = limited("dd if=/dev/zero of=file bs=1M count=4 status=none; sleep 0.2 & sleep 0.2; wait");
  command.sandbox->memory_bytes = 200 * mebibyte;
  command.sandbox->disk_bytes = 10 * mebibyte;
  command.sandbox->processes = 20;
  const Finished finished = run(command);
  EXPECT_TRUE(finished.succeeded()) << describe(finished);
}

TEST_F(SandboxLimitsTest, GivesATreeToTheUserInsideWithoutFollowingLinks) {
  const fs::path outside = directory_.path().string() + "-outside";
  std::ofstream(outside) << "ours";
  const fs::path tree = directory_.path() / "tree";
  fs::create_directories(tree / "deep");
  std::ofstream(tree / "deep/file") << "a";
  fs::create_symlink(outside, tree / "link");
  give_to_sandbox(tree);
  EXPECT_TRUE(run(shell("echo b > tree/deep/file && echo c > tree/new")).succeeded());
  struct stat file {};
  ASSERT_EQ(::stat(outside.c_str(), &file), 0);
  EXPECT_EQ(file.st_uid, ::geteuid());
  fs::remove(outside);
}

}  // namespace
}  // namespace tandem::runners
