// What foreign code is kept from, in a sandbox and where none can be made.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "runners/pairing/launch_command.hpp"
#include "runners/process/bubblewrap.hpp"
#include "runners/process/call_filter.hpp"
#include "runners/process/control_group.hpp"
#include "runners/sandbox_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

/// What tries_calls says: the outcome by the name of the call.
std::map<std::string, std::string> outcomes(const Finished& finished) {
  std::map<std::string, std::string> all;
  std::istringstream lines(finished.output);
  for (std::string name, outcome; lines >> name >> outcome;) all[name] = outcome;
  return all;
}

void expect_refused(const std::map<std::string, std::string>& outcome) {
  for (const char* name : {"keyctl", "add_key", "request_key", "bpf", "kexec_load", "userfaultfd", "mount",
                           "open_tree", "user_namespace", "cloned_user_namespace"}) {
    ASSERT_TRUE(outcome.contains(name)) << name;
    EXPECT_EQ(outcome.at(name), "EPERM") << name;
  }
  EXPECT_EQ(outcome.at("clone3"), "ENOSYS");
  EXPECT_EQ(outcome.at("thread"), "0") << "the C library must fall back to clone";
  EXPECT_EQ(outcome.at("fork"), "0");
}

class ForeignCode : public testing::Test {
 protected:
  void SetUp() override {
    if (call_filter(Tracing::allowed).empty()) GTEST_SKIP() << "this kernel has no filters for system calls";
  }
  [[nodiscard]] static Command foreign(const std::string& script) {
    Command command{{"/bin/bash", "-c", script}, {"PATH=/usr/bin:/bin"}, "/", {}, {}};
    command.foreign = Foreign::yes;
    return command;
  }
  /// A copy that every user may run.
  [[nodiscard]] fs::path open_copy(const char* name) const {
    fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
    fs::copy_file(program(name), directory_.path() / name, fs::copy_options::overwrite_existing);
    return directory_.path() / name;
  }

  tests::TemporaryDirectory directory_;
};

class SandboxedForeignCode : public SandboxTest {};

TEST_F(SandboxedForeignCode, IsRefusedDangerousSystemCallsAndMayTraceItsOwn) {
  if (call_filter(Tracing::allowed).empty()) GTEST_SKIP() << "this kernel has no filters for system calls";
  Command command = shell("");
  command.argv = {program("tries_calls")};
  command.sandbox->mounts.push_back({program("tries_calls"), program("tries_calls")});
  const Finished finished = run(command);
  ASSERT_TRUE(finished.succeeded()) << describe(finished) << finished.errors;
  expect_refused(outcomes(finished));
  EXPECT_EQ(outcomes(finished).at("trace"), "0") << "LeakSanitizer traces its own threads";
}

TEST_F(SandboxedForeignCode, KeepsItsExitStatusAndItsSignals) {
  EXPECT_EQ(run(shell("exit 7")).code, 7);
  const Finished killed = run(shell("kill -SEGV $$"));
  EXPECT_EQ(killed.how, Finished::How::signalled);
  EXPECT_EQ(killed.code, SIGSEGV);
}

TEST_F(SandboxedForeignCode, RunsWhereItWasStartedWhileTheShimLooksFromElsewhere) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  if (cpus.size() < 2) GTEST_SKIP() << "this test needs two processors";
  Command command = shell("grep Cpus_allowed_list /proc/self/status /proc/$PPID/status");
  command.cpus = {cpus[0]};
  command.sandbox->look_cpus = {cpus[1]};
  const Finished finished = run(command);
  EXPECT_NE(finished.output.find("/proc/self/status:Cpus_allowed_list:\t" + std::to_string(cpus[0]) + "\n"),
            std::string::npos)
      << finished.output << finished.errors;
  EXPECT_NE(finished.output.find("Cpus_allowed_list:\t" + std::to_string(cpus[1]) + "\n"), std::string::npos)
      << finished.output << finished.errors;
}

TEST_F(ForeignCode, IsRefusedDangerousSystemCallsAndTracingWithoutASandbox) {
  Command command = foreign("");
  command.argv = {open_copy("tries_calls")};
  const Finished finished = run_command(command, {});
  ASSERT_TRUE(finished.succeeded()) << describe(finished) << finished.errors;
  expect_refused(outcomes(finished));
  EXPECT_EQ(outcomes(finished).at("trace"), "EPERM") << "the supervisor itself is within its reach";
}

TEST_F(ForeignCode, CannotGainRights) {
  const Finished finished = run_command(foreign("grep -E 'NoNewPrivs|Groups' /proc/self/status; id -u"), {});
  EXPECT_NE(finished.output.find("NoNewPrivs:\t1"), std::string::npos) << finished.output;
}

TEST_F(ForeignCode, OfRootRunsAsAnotherUserWithoutGroups) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const fs::path secret = directory_.path() / "secret";
  std::ofstream(secret) << "root's own";
  fs::permissions(secret, fs::perms::owner_read);
  fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
  const Finished finished =
      run_command(foreign("id -ru; id -u; id -G; grep CapEff /proc/self/status; cat " + secret.string()), {});
  const SandboxUser user = sandbox_user();
  const std::string expected =
      std::to_string(user.user) + "\n" + std::to_string(user.user) + "\n" + std::to_string(user.group) + "\n";
  EXPECT_TRUE(finished.output.starts_with(expected)) << finished.output;
  EXPECT_NE(finished.output.find("CapEff:\t0000000000000000"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("root's own"), std::string::npos);
}

TEST_F(ForeignCode, WithoutASandboxMayStillNotWriteAFileThatIsTooLarge) {
  Command command = foreign("exec dd if=/dev/zero of=large bs=1M count=40 status=none");
  give_to_sandbox(directory_.path());
  fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
  command.working_directory = directory_.path();
  command.foreign_limits.file_bytes = std::uint64_t{10} << 20;
  EXPECT_EQ(run_command(command, {}).how, Finished::How::over_disk);
  EXPECT_LE(fs::file_size(directory_.path() / "large"), std::uint64_t{10} << 20);
}

/// Elsewhere nobody counts its memory, and the status says so.
TEST_F(ForeignCode, WithoutASandboxIsLimitedInMemoryWhereAControlGroupIsDelegated) {
  Command command = foreign("head -c 100M /dev/zero | tail >/dev/null; exit ${PIPESTATUS[1]}");
  command.foreign_limits.memory_bytes = std::uint64_t{32} << 20;
  const Finished finished = run_command(command, {});
  const bool delegated = ControlGroup::make({std::uint64_t{1} << 30, 0}) != nullptr;
  EXPECT_EQ(finished.how, delegated ? Finished::How::over_memory : Finished::How::exited)
      << describe(finished) << finished.errors;
}

/// The secret of a session keyring belongs to whoever possesses it, and foreign code must not.
TEST_F(ForeignCode, GetsNoKeysOfTheSession) {
  const auto child_sees_key = [](Foreign foreign) {
    Command command{{"/bin/cat", "/proc/keys"}, {"PATH=/usr/bin:/bin"}, "/", {}, {}};
    command.foreign = foreign;
    return run_command(command, {}).output.find("tandem_secret") != std::string::npos;
  };
  const pid_t owner = ::fork();
  if (owner == 0) {
    constexpr unsigned possessor_only = 0x3f000000;
    ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "tandem_test");
    const long key = ::syscall(SYS_add_key, "user", "tandem_secret", "x", 1, KEY_SPEC_SESSION_KEYRING);
    const bool made = key > 0 && ::syscall(SYS_keyctl, KEYCTL_SETPERM, key, possessor_only) == 0;
    if (!made || !child_sees_key(Foreign::no)) ::_exit(2);
    ::_exit(child_sees_key(Foreign::yes) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(owner, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this kernel shows no keyrings here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ForeignCode, OfRootStillDiesWithItsParent) {
  Command command = foreign("awk '/PDEATHSIG/' /dev/null; exec sleep 1000");
  Children children;
  const auto child = children.start(command, {});
  const int pid = children.pid(child);
  ASSERT_TRUE(children.running(child));
  children.end(child, Finished::How::stopped);
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(ForeignCode, IsRefusedWhereTheOtherUserCannotEnter) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  fs::permissions(directory_.path(), fs::perms::owner_all);
  const auto complaint = complain_of_other_user(directory_.path());
  ASSERT_TRUE(complaint);
  EXPECT_NE(complaint->find("cannot enter " + directory_.path().string()), std::string::npos) << *complaint;
  fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
  EXPECT_EQ(complain_of_other_user(directory_.path()), std::nullopt);
}

TEST(SandboxUser, HasALimitOfProcessesOnlyIfItIsOurs) {
  EXPECT_EQ(most_tasks({1000, 1000, false}, 100), 0U);
  EXPECT_EQ(most_tasks({1000, 1000, true}, 100), 400U);
}

}  // namespace
}  // namespace tandem::runners
