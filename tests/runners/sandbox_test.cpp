#include "runners/process/sandbox.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "runners/process/bubblewrap.hpp"
#include "runners/sandbox_fixture.hpp"
#include "specs/foundation/descriptor.hpp"
#include "support/paths.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using std::chrono::milliseconds;
using tests::program;
using How = Finished::How;
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(FindSandbox, SaysWhichPartIsMissing) {
  const auto found = find_sandbox("/nowhere/tandem-shim");
  const auto* reason = std::get_if<std::string>(&found);
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(reason->starts_with("no sandbox: ")) << *reason;
}

TEST_F(SandboxTest, TellsTheTrueStatus) {
  EXPECT_TRUE(run(shell("true")).succeeded());
  const Finished seven = run(shell("exit 7"));
  EXPECT_EQ(seven.how, How::exited);
  EXPECT_EQ(seven.code, 7);
  const Finished folded = run(shell("exit 139"));
  EXPECT_EQ(folded.how, How::exited) << "not taken for a signal";
  const Finished crash = run(shell("kill -SEGV $$"));
  EXPECT_EQ(crash.how, How::signalled);
  EXPECT_EQ(crash.code, SIGSEGV);
  const Finished killed = run(shell("kill -KILL $$"));
  EXPECT_EQ(killed.how, How::signalled);
  EXPECT_EQ(killed.code, SIGKILL);
}

TEST_F(SandboxTest, TellsAProgramThatCannotBeStarted) {
  Command command = shell("");
  command.argv = {"/room/missing"};
  const Finished missing = run(command);
  EXPECT_EQ(missing.how, How::not_started);
  EXPECT_EQ(missing.code, ENOENT);
  command = shell("true");
  command.working_directory = "/nowhere";
  EXPECT_EQ(run(command).how, How::not_started);
}

TEST_F(SandboxTest, TellsWhenTheSandboxItselfCannotBeMade) {
  Command command = shell("true");
  command.sandbox->mounts.push_back({directory_.path(), "/usr/bin/true/below", Sandbox::Access::read});
  const Finished finished = run(command);
  EXPECT_EQ(finished.how, How::no_sandbox);
  EXPECT_NE(finished.errors.find("bwrap"), std::string::npos) << finished.errors;
  command = shell("true");
  command.sandbox->tools.bwrap = "/nowhere/bwrap";
  EXPECT_EQ(run(command).how, How::no_sandbox);
}

TEST_F(SandboxTest, PassesArgumentsEnvironmentAndOutputsExactly) {
  Command command = shell("printf '%s|' \"$@\"; printf '%s' \"$GREETING\" >&2; pwd");
  command.argv.insert(command.argv.end(), {"name", "a b", "", "c\nd"});
  command.environment.push_back("GREETING=good day");
  const Finished finished = run(command);
  EXPECT_EQ(finished.output, "a b||c\nd|/room\n");
  EXPECT_EQ(finished.errors, "good day");
  command = shell("");
  command.argv = {"/usr/bin/env"};
  command.environment = {"ONLY=this"};
  EXPECT_EQ(run(command).output, "ONLY=this\n");
}

TEST_F(SandboxTest, MeasuresTheChildAndNotTheSandbox) {
  const Finished finished = run(shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));
  EXPECT_GT(finished.usage.cpu().count(), 0);
  EXPECT_GT(finished.usage.peak_resident_bytes, 500'000u);
}

TEST_F(SandboxTest, CountsWhatIsLeftBehind) {
  const Finished finished = run(shell("sleep 1000 & setsid sleep 1000 & exit 0"));
  EXPECT_EQ(finished.how, How::exited);
  EXPECT_EQ(finished.left_behind, 2u);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxTest, EndsEverythingAtTheDeadline) {
  const Finished finished = run(
      shell(
          "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 1000) & sleep 1000 & while :; do sleep 1; done"),
      milliseconds{500});
  EXPECT_EQ(finished.how, How::timed_out);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxTest, SurvivesAProgramThatSignalsItsGroup) {
  const Finished handled = run(shell("trap '' TERM; kill -TERM 0; exit 5"));
  EXPECT_EQ(handled.how, How::exited);
  EXPECT_EQ(handled.code, 5);
  const Finished killed = run(shell("kill -TERM 0; sleep 1000"));
  EXPECT_EQ(killed.how, How::signalled);
  EXPECT_EQ(killed.code, SIGTERM);
}

TEST_F(SandboxTest, BlamesTheChildThatKillsTheShim) {
  // As an ordinary user the two share their user and it succeeds; as root it is refused.
  const Finished finished = run(shell("kill -KILL 2; sleep 0.2; exit 6"));
  if (::geteuid() == 0) {
    EXPECT_EQ(finished.how, How::exited);
    EXPECT_EQ(finished.code, 6);
  } else {
    EXPECT_EQ(finished.how, How::signalled);
  }
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxTest, KeepsItsReportAwayFromTheChild) {
  const Finished finished =
      run(shell("for fd in 210 211 212 213; do echo 'exited 0 1 1 1 1 1 1 0' >&$fd && echo \"$fd is open\"; "
                "done 2>/dev/null;"
                "ls /proc/2/fd 2>/dev/null; echo x > /proc/2/fd/212; exit 9"));
  EXPECT_EQ(finished.output, "");
  EXPECT_EQ(finished.how, How::exited);
  EXPECT_EQ(finished.code, 9);
}

TEST_F(SandboxTest, WritesOnlyWhereItMay) {
  const fs::path outside = directory_.path().string() + "-outside";
  fs::create_directory(outside);
  Command command =
      shell("echo x > /room/inside; echo y > /seen/new; echo z > " + outside.string() +
            "/new; echo u > /usr/bin/tandem-was-here; echo e > /etc/passwd; echo r > /new; cat /seen/old");
  std::ofstream(outside / "old") << "as it was";
  fs::permissions(outside, fs::perms::all);
  command.sandbox->mounts.push_back({outside, "/seen", Sandbox::Access::read});
  const Finished finished = run(command);
  EXPECT_EQ(finished.output, "as it was") << finished.errors;
  EXPECT_EQ(text_of(directory_.path() / "inside"), "x\n");
  EXPECT_FALSE(fs::exists(outside / "new"));
  EXPECT_FALSE(fs::exists("/usr/bin/tandem-was-here"));
  fs::remove_all(outside);
}

TEST_F(SandboxTest, SeesNeitherSecretsNorProcessesOfTheHost) {
  const fs::path token = directory_.path().string() + "-token";
  std::ofstream(token) << "secret";
  fs::permissions(token, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(run(shell("cat " + token.string())).succeeded());
  Command shown = shell("cat /seen/token");
  shown.sandbox->mounts.push_back({token, "/seen/token", Sandbox::Access::read});
  EXPECT_EQ(run(shown).succeeded(), ::geteuid() != 0) << "another user cannot read it even where it is shown";
  fs::remove(token);
  EXPECT_FALSE(run(shell("cat /etc/shadow || ls /root /home /var /run")).succeeded());
  const Finished processes = run(shell("ls -d /proc/[0-9]*"));
  EXPECT_EQ(processes.output.find("/proc/1\n/proc/2\n/proc/3\n"), 0u) << processes.output;
  EXPECT_FALSE(run(shell("kill -0 " + std::to_string(::getpid()))).succeeded());
}

TEST_F(SandboxTest, HasNoWayToTheNetworkOfTheHost) {
  const OwnedDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  Command command = shell(fmt::format("exec 3<>/dev/tcp/127.0.0.1/{}", ntohs(address.sin_port)));
  EXPECT_FALSE(run(command).succeeded());
  command.sandbox.reset();
  command.working_directory.clear();
  EXPECT_TRUE(run(command).succeeded()) << "but the host reaches it";
}

TEST_F(SandboxTest, StopsAFloodOfOutput) {
  Limits limits;
  limits.output_bytes = 10'000;
  const Finished finished = run_command(shell("yes"), limits);
  EXPECT_EQ(finished.how, How::flooded);
  EXPECT_EQ(finished.output.size(), 10'000u);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(SandboxTest, DiesWithAParentThatIsKilled) {
  const fs::path log = directory_.path() / "log";
  Children children;
  const auto supervisor = children.start({{program("outlives_nobody"), program("sleeps"), tests::paths::shim},
                                          current_environment(),
                                          {},
                                          {},
                                          log},
                                         {});
  for (int tries = 0; text_of(log).empty(); ++tries) {
    ASSERT_TRUE(children.running(supervisor) && tries < 2000) << "it started no child";
    static_cast<void>(children.wait(Children::Clock::now() + milliseconds{10}, {}));
  }
  const int orphan = std::stoi(text_of(log));
  ASSERT_EQ(::kill(orphan, 0), 0);
  ::kill(children.pid(supervisor), SIGKILL);
  static_cast<void>(children.wait(Children::Clock::now() + std::chrono::seconds{10}, {}));
  ASSERT_FALSE(children.running(supervisor));
  EXPECT_TRUE(descendants().empty());
  EXPECT_EQ(::kill(orphan, 0), -1);
}

TEST_F(SandboxTest, LeaksNoDescriptorOverManyRuns) {
  static_cast<void>(run(shell("true")));
  const std::size_t before = tests::entries("/proc/self/fd");
  for (int i = 0; i < 20; ++i) static_cast<void>(run(shell("exit 3")));
  EXPECT_EQ(tests::entries("/proc/self/fd"), before);
  EXPECT_TRUE(descendants().empty());
}

Finished read_report(const std::string& report, int status = 0) {
  Finished finished;
  finished.how = How::exited;
  take_report(report, status, finished);
  return finished;
}

TEST(SandboxReport, GivesStatusUsageAndWhatWasLeft) {
  const Finished finished = read_report("started\nsignalled 11 5000 20 30 400 5 6 7\n");
  EXPECT_EQ(finished.how, How::signalled);
  EXPECT_EQ(finished.code, 11);
  EXPECT_EQ(finished.usage.wall.count(), 5000);
  EXPECT_EQ(finished.usage.user.count(), 20'000);
  EXPECT_EQ(finished.usage.system.count(), 30'000);
  EXPECT_EQ(finished.usage.peak_resident_bytes, 400u * 1024);
  EXPECT_EQ(finished.usage.voluntary_switches, 5u);
  EXPECT_EQ(finished.usage.involuntary_switches, 6u);
  EXPECT_EQ(finished.left_behind, 7u);
  EXPECT_EQ(read_report("started\nover_processes 9 1 1 1 1 1 1 0\n").how, How::over_processes);
  EXPECT_EQ(read_report("started\nnot_started 2 0 0 0 0 0 0 0\n").how, How::not_started);
}

TEST(SandboxReport, WithoutABeginningThereWasNoSandbox) {
  constexpr int exited_with_1 = 1 << 8;
  EXPECT_EQ(read_report("", exited_with_1).how, How::no_sandbox);
  EXPECT_EQ(read_report("exited 0 1 1 1 1 1 1 0\n", exited_with_1).how, How::no_sandbox);
}

TEST(SandboxReport, ABrokenOneIsNeverASuccess) {
  for (const char* line :
       {"", "exited", "exited 0", "exited 0 1 1 1 1 1 1 0", "exited 0 1 1 1 1 1 1 0 9\n",
        "exited -1 1 1 1 1 1 1 0\n", "exited 99999999999999999999 1 1 1 1 1 1 0\n",
        "exited 0 1 1 1 1 1 1 x\n", "ended 0 1 1 1 1 1 1 0\n", "exited  0 1 1 1 1 1 1 0\n"}) {
    const Finished finished = read_report(std::string("started\n") + line);
    EXPECT_EQ(finished.how, How::signalled) << line;
    EXPECT_EQ(finished.code, SIGKILL) << line;
  }
}

}  // namespace
}  // namespace tandem::runners
