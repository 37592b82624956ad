#include "runners/process/control_group.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "runners/process/process.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

TEST(ControlGroup, IsNotMadeWhereNothingWasDelegated) {
  EXPECT_EQ(ControlGroup::make({}), nullptr) << "without limits";
  std::ifstream own("/proc/self/cgroup");
  const std::string before(std::istreambuf_iterator<char>(own), {});
  if (std::getenv("TANDEM_DELEGATED") == nullptr) {
    EXPECT_EQ(ControlGroup::make({std::uint64_t{1} << 30, 100}), nullptr);
    std::ifstream again("/proc/self/cgroup");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), before) << "nobody was moved";
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose maps do not fit into that kernel

/// A Linux kernel as a process, with the files of this host: its groups are all of version 2, whatever this
/// host has, and a group in it is delegated as systemd does it. The tests of the limits run there again.
TEST(ControlGroup, KeepsTheLimitsOfASandboxWhereOneWasDelegated) {
  const fs::path kernel = "/usr/bin/linux.uml";
  if (::geteuid() != 0 || !fs::exists(kernel)) GTEST_SKIP() << "no root, or no user-mode-linux";
  const tests::TemporaryDirectory directory;
  const fs::path script = directory.path() / "init";
  std::ofstream(script) << fmt::format(
      R"init(#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TANDEM_DELEGATED=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 none /sys/fs/cgroup
unit=/sys/fs/cgroup/unit
echo '+memory +pids' > /sys/fs/cgroup/cgroup.subtree_control
mkdir $unit
python3 -c 'import os; os.setxattr("/sys/fs/cgroup/unit", "trusted.delegate", b"1")'
echo $$ > $unit/cgroup.procs
'{}' --gtest_filter='SandboxLimitsTest.*Memory*:SandboxLimitsTest.*Processes:*HonestProgram*:*TrueStatus:ForeignCode.*Memory*'
echo "tests ended with $?, controllers: $(cat $unit/cgroup.subtree_control), groups: $(ls -d $unit/*/)"
echo o > /proc/sysrq-trigger
sleep 100
)init",
      fs::read_symlink("/proc/self/exe").string());
  fs::permissions(script, fs::perms::owner_all);
  Command command;
  command.argv = {kernel,   "rootfstype=hostfs", "rootflags=/",    "rw",       "init=" + script.string(),
                  "mem=1G", "con=null",          "con0=null,fd:1", "con1=null"};
  command.environment = {"PATH=/usr/bin:/bin", "HOME=" + directory.path().string(),
                         "TMPDIR=" + directory.path().string()};
  command.working_directory = directory.path();
  const Finished finished = run_command(command, {std::chrono::minutes{4}});
  EXPECT_NE(finished.output.find("tests ended with 0, controllers: memory pids, groups: "
                                 "/sys/fs/cgroup/unit/supervisor/"),
            std::string::npos)
      << describe(finished) << "\n"
      << finished.output << finished.errors;
}

#endif

}  // namespace
}  // namespace tandem::runners
