#include "runners/process/sandbox_report.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace tandem::runners {
namespace {

using How = Finished::How;

Finished read(const std::string& report, int status = 0) {
  Finished finished;
  finished.how = How::exited;
  take_report(report, status, finished);
  return finished;
}

TEST(SandboxReport, GivesStatusUsageAndWhatWasLeft) {
  const Finished finished = read("started\nsignalled 11 5000 20 30 400 5 6 7\n");
  EXPECT_EQ(finished.how, How::signalled);
  EXPECT_EQ(finished.code, 11);
  EXPECT_EQ(finished.usage.wall.count(), 5000);
  EXPECT_EQ(finished.usage.user.count(), 20'000);
  EXPECT_EQ(finished.usage.system.count(), 30'000);
  EXPECT_EQ(finished.usage.peak_resident_bytes, 400u * 1024);
  EXPECT_EQ(finished.usage.voluntary_switches, 5u);
  EXPECT_EQ(finished.usage.involuntary_switches, 6u);
  EXPECT_EQ(finished.left_behind, 7u);
  EXPECT_EQ(read("started\nover_processes 9 1 1 1 1 1 1 0\n").how, How::over_processes);
  EXPECT_EQ(read("started\nnot_started 2 0 0 0 0 0 0 0\n").how, How::not_started);
}

TEST(SandboxReport, WithoutABeginningThereWasNoSandbox) {
  constexpr int exited_with_1 = 1 << 8;
  EXPECT_EQ(read("", exited_with_1).how, How::no_sandbox);
  EXPECT_EQ(read("exited 0 1 1 1 1 1 1 0\n", exited_with_1).how, How::no_sandbox);
}

TEST(SandboxReport, ABrokenOneIsNeverASuccess) {
  for (const char* line :
       {"", "exited", "exited 0", "exited 0 1 1 1 1 1 1 0", "exited 0 1 1 1 1 1 1 0 9\n",
        "exited -1 1 1 1 1 1 1 0\n", "exited 99999999999999999999 1 1 1 1 1 1 0\n",
        "exited 0 1 1 1 1 1 1 x\n", "ended 0 1 1 1 1 1 1 0\n", "exited  0 1 1 1 1 1 1 0\n"}) {
    const Finished finished = read(std::string("started\n") + line);
    EXPECT_EQ(finished.how, How::signalled) << line;
    EXPECT_EQ(finished.code, SIGKILL) << line;
  }
}

}  // namespace
}  // namespace tandem::runners
