#include "runners/process/process.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "runners/host/topology.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using std::chrono::milliseconds;
using tests::program;
using How = Finished::How;

Finished shell(const std::string& script, const Limits& limits = {}) {
  return run_command({{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, {}, {}, {}}, limits);
}

TEST(Process, TellsExitStatusAndSignalApart) {
  const Finished exited = shell("exit 11");
  EXPECT_EQ(exited.how, How::exited);
  EXPECT_EQ(exited.code, 11);
  EXPECT_FALSE(exited.succeeded());
  const Finished killed = shell("kill -11 $$");
  EXPECT_EQ(killed.how, How::signalled);
  EXPECT_EQ(killed.code, 11);
  EXPECT_EQ(describe(killed), "was killed by signal 11 (Segmentation fault)");
}

TEST(Process, KeepsBothOutputsAndTheLog) {
  const tests::TemporaryDirectory directory;
  Command command{{"/bin/sh", "-c", "echo to out; echo to err >&2"}, {}, {}, {}, directory.path() / "log"};
  const Finished finished = run_command(command, {});
  EXPECT_EQ(finished.output, "to out\n");
  EXPECT_EQ(finished.errors, "to err\n");
  std::ifstream log(directory.path() / "log");
  std::stringstream text;
  text << log.rdbuf();
  EXPECT_NE(text.str().find("to out\n"), std::string::npos);
  EXPECT_NE(text.str().find("to err\n"), std::string::npos);
}

TEST(Process, LosesNoByteOfTheOutputAtTheEnd) {
  std::string expected;
  for (int i = 1; i <= 5000; ++i) expected += std::to_string(i) + "\n";
  for (int run = 0; run < 50; ++run) {
    ASSERT_EQ(shell("seq 1 5000").output, expected) << "in run " << run;
  }
}

TEST(Process, InheritsNothingThatWasNotGiven) {
  ::setenv("TANDEM_TEST_SECRET", "1", 1);
  EXPECT_EQ(shell("echo ${TANDEM_TEST_SECRET-none}; ls /proc/self/fd | wc -l").output.substr(0, 5), "none\n");
  const int descriptor = ::dup(0);  // without close-on-exec
  const Finished finished = run_command({{"/bin/ls", "/proc/self/fd"}, {}, {}, {}, {}}, {});
  ::close(descriptor);
  EXPECT_EQ(finished.output, "0\n1\n2\n3\n");  // 3 is the directory that ls reads
}

TEST(Process, RunsInItsDirectoryOnItsProcessor) {
  const tests::TemporaryDirectory directory;
  const int allowed = own_affinity().back();
  Command command{{"/bin/sh", "-c", "pwd; grep Cpus_allowed_list /proc/self/status"},
                  {"PATH=/usr/bin:/bin"},
                  directory.path(),
                  {allowed},
                  {}};
  const Finished finished = run_command(command, {});
  EXPECT_NE(finished.output.find(directory.path().filename().string()), std::string::npos);
  EXPECT_TRUE(finished.output.ends_with(fmt::format("Cpus_allowed_list:\t{}\n", allowed))) << finished.output;
}

TEST(Process, SaysWhyItCouldNotBeStarted) {
  const Finished missing = run_command({{"/no/such/program"}, {}, {}, {}, {}}, {});
  EXPECT_EQ(missing.how, How::not_started);
  EXPECT_EQ(missing.code, ENOENT);
  EXPECT_EQ(describe(missing), "could not be started: No such file or directory");
}

TEST(Process, IsKilledAtItsDeadlineEvenIfItIgnoresSignals) {
  const Finished finished =
      shell("trap '' TERM INT HUP; while :; do sleep 1; done", {milliseconds{200}, 1000});
  EXPECT_EQ(finished.how, How::timed_out);
}

TEST(Process, IsKilledWhenItSaysTooMuch) {
  const Finished finished = shell("while :; do echo and on and on; done", {std::chrono::seconds{30}, 10'000});
  EXPECT_EQ(finished.how, How::flooded);
  EXPECT_LE(finished.output.size(), 10'000u);
}

TEST(Process, IsBlamedForWhatItLeftBehindAndNotTheOneBesideIt) {
  for (const std::string leaving : {"sleep 1000", "setsid sleep 1000"}) {
    const tests::TemporaryDirectory directory;
    const auto until = [&](const char* name) {
      return fmt::format("until [ -e {} ]; do sleep 0.01; done", (directory.path() / name).string());
    };
    const auto command = [](const std::string& name, const std::string& script) {
      return Command{{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin", "NAME=" + name}, {}, {}, {}};
    };
    const std::string left = (directory.path() / "left").string();
    Children children;
    const std::size_t leaves =
        children.start(command("one", fmt::format("({} &); : >{}; {}", leaving, left, until("over"))), {});
    const std::size_t beside = children.start(command("two", until("left")), {});
    const auto finish = [&](std::size_t child) {
      while (children.running(child))
        static_cast<void>(children.wait(Children::Clock::time_point::max(), {}));
      return children.finished(child).left_behind;
    };
    EXPECT_EQ(finish(beside), 0u) << leaving;
    std::ofstream(directory.path() / "over").flush();
    EXPECT_EQ(finish(leaves), 1u) << leaving;
  }
}

TEST(Process, IsKilledWithItsWholeGroupAndWithWhatLeftTheGroup) {
  const tests::TemporaryDirectory directory;
  const std::string file = (directory.path() / "pids").string();
  const Finished finished =
      shell("sleep 1000 & echo $! >" + file + "; setsid sh -c 'echo $$ >>" + file +
            "; exec sleep 1000' & until [ \"$(wc -l <" + file + ")\" = 2 ]; do sleep 0.01; done; exit 0");
  EXPECT_EQ(finished.how, How::exited);
  EXPECT_GE(finished.left_behind, 2u);
  std::ifstream pids(file);
  for (int pid = 0; pids >> pid;) EXPECT_EQ(::kill(pid, 0), -1) << pid;
}

TEST(Process, StopsWhenAsked) {
  std::stop_source source;
  std::jthread asker([&] {
    std::this_thread::sleep_for(milliseconds{50});
    source.request_stop();
  });
  const Finished finished = run_command({{program("sleeps")}, {}, {}, {}, {}}, {}, source.get_token());
  EXPECT_EQ(finished.how, How::stopped);
}

TEST(Process, CountsWhatItUsed) {
  const Finished finished = run_command({{program("plain")}, {}, {}, {}, {}}, {});
  ASSERT_TRUE(finished.succeeded());
  EXPECT_GT(finished.usage.cpu().count(), 0);
  EXPECT_GT(finished.usage.peak_resident_bytes, 100'000u);
  EXPECT_GT(finished.usage.wall.count(), 0);
}

TEST(Process, DiesWithItsParent) {
  Children children;
  const auto supervisor = children.start(
      {{program("outlives_nobody"), program("sleeps")}, current_environment(), {}, {}, {}}, {});
  // The number comes on standard output, which is read when the supervisor is gone.
  const std::string own = std::to_string(children.pid(supervisor));
  for (int kid = 0, tries = 0; kid == 0; ++tries) {
    ASSERT_TRUE(children.running(supervisor) && tries < 1000) << "it started no child";
    std::ifstream("/proc/" + own + "/task/" + own + "/children") >> kid;
    static_cast<void>(children.wait(Children::Clock::now() + milliseconds{10}, {}));
  }
  static_cast<void>(children.wait(Children::Clock::now() + milliseconds{100}, {}));
  ::kill(children.pid(supervisor), SIGKILL);
  static_cast<void>(children.wait(Children::Clock::now() + std::chrono::seconds{10}, {}));
  ASSERT_FALSE(children.running(supervisor));
  const int orphan = std::stoi(children.finished(supervisor).output);
  EXPECT_EQ(::kill(orphan, 0), -1);
}

TEST(Process, SpeaksByLinesWithSeveralChildren) {
  Children children;
  const Command echo{
      {"/bin/bash", "-c", "while read line <&210; do echo \"$0 $line\" >&210; done", "one"}, {}, {}, {}, {}};
  Children::Options options;
  options.channel = Children::Options::Channel::yes;
  const auto first = children.start(echo, options);
  const auto second = children.start(echo, options);
  children.send(second, "hello");
  const auto event = children.wait(Children::Clock::now() + std::chrono::seconds{10}, {});
  EXPECT_EQ(event.kind, Children::Event::Kind::line);
  EXPECT_EQ(event.child, second);
  EXPECT_EQ(event.line, "one hello");
  children.end(first, How::stopped);
  EXPECT_FALSE(children.running(first));
  EXPECT_TRUE(children.running(second));
}

TEST(Process, LeaksNoDescriptorAndNoZombie) {
  static_cast<void>(shell("true"));
  const std::size_t before = tests::entries("/proc/self/fd");
  for (int i = 0; i < 100; ++i) static_cast<void>(shell(i % 2 == 0 ? "true" : "exit 3"));
  EXPECT_EQ(tests::entries("/proc/self/fd"), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace tandem::runners
