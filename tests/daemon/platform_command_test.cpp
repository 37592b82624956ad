#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "daemon/commands/command_line.hpp"
#include "specs/foundation/error.hpp"
#include "support/platform_tree.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const std::string governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

class PlatformCommand : public testing::Test {
 protected:
  PlatformCommand() { tests::make_laptop(tree_); }

  /// `tandem platform` with these words, on the made-up host.
  int run(Words words, const std::stop_token& stop = {}) {
    words.insert(words.begin(), {"tandem", "platform", "--state_dir", state_.path().string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = -1;
    std::string refusal;
    try {
      auto options = std::get<PlatformOptions>(read_command_line(static_cast<int>(argv.size()), argv.data()));
      options.root = tree_.root();
      options.steal_time = std::chrono::milliseconds{1};
      code = run_platform_command(options, stop);
    } catch (const InputError& error) {
      refusal = error.what();
      code = 2;
    }
    output_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr() + refusal;
    return code;
  }

  /// A shell command that keeps the governor that it sees.
  Words look(const std::string& then) {
    return {"--fix", "--", "sh", "-c", "cat " + (tree_.root() / governor).string() + "; " + then};
  }

  tests::PlatformTree tree_;
  tests::TemporaryDirectory state_;
  std::string output_;
  std::string errors_;
};

TEST_F(PlatformCommand, ShowsTheHost) {
  EXPECT_EQ(run({}), 0) << errors_;
  EXPECT_TRUE(output_.starts_with("Readiness for measuring: ")) << output_;
  EXPECT_NE(output_.find("governor                poor  powersave"), std::string::npos) << output_;
  EXPECT_EQ(tree_.read(governor), "powersave");
}

TEST_F(PlatformCommand, ShowsTheHostAsJson) {
  EXPECT_EQ(run({"--json"}), 0) << errors_;
  EXPECT_EQ(nlohmann::json::parse(output_).at("schema"), 1);
}

TEST_F(PlatformCommand, RunsACommandWithTheHostSetUp) {
  EXPECT_EQ(run(look("exit 0")), 0) << errors_;
  EXPECT_NE(errors_.find("11 values set back"), std::string::npos) << errors_;
  EXPECT_EQ(tree_.read(governor), "powersave");
  EXPECT_FALSE(fs::exists(state_.path() / "platform.journal"));
}

TEST_F(PlatformCommand, ReturnsTheCommandsStatusAndSetsBackAllTheSame) {
  EXPECT_EQ(run(look("exit 7")), 7) << errors_;
  EXPECT_EQ(output_, "performance\n") << "standard output is the command's alone";
  EXPECT_EQ(tree_.read(governor), "powersave");
}

TEST_F(PlatformCommand, SetsBackWhenTheCommandCannotBeStarted) {
  EXPECT_EQ(run({"--fix", "--", "/nonexistent/program"}), 2);
  EXPECT_NE(errors_.find("/nonexistent/program"), std::string::npos) << errors_;
  EXPECT_EQ(tree_.read(governor), "powersave");
}

TEST_F(PlatformCommand, HoldsUntilItIsStopped) {
  std::stop_source stop;
  std::jthread interrupter([&] {
    while (tree_.read(governor) != "performance") std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_EQ(run({"--fix"}, stop.get_token()), 0) << errors_;
  EXPECT_EQ(tree_.read(governor), "powersave");
}

TEST_F(PlatformCommand, RestoresWhatAKilledOneLeft) {
  EXPECT_EQ(run({"--restore"}), 0);
  EXPECT_EQ(errors_, "There is nothing to set back.\n");
  const pid_t child = ::fork();
  if (child == 0) {
    // The command kills its parent, which is in the middle of holding.
    run(look("kill -9 $PPID"));
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(tree_.read(governor), "performance");
  EXPECT_EQ(run({"--restore"}), 0) << errors_;
  EXPECT_EQ(errors_, "11 values set back\n");
  EXPECT_EQ(tree_.read(governor), "powersave");
}

TEST_F(PlatformCommand, SaysWithStatus4WhatCannotBeSetBack) {
  std::ofstream(state_.path() / "platform.journal")
      << "tandem-platform 1 aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\n"
      << governor << "\tpowersave\tLinux\n";
  tree_.link(governor, "/proc/sys/kernel/ostype");
  EXPECT_EQ(run({"--restore"}), 4);
  EXPECT_NE(errors_.find("is still Linux instead of powersave"), std::string::npos) << errors_;
}

TEST_F(PlatformCommand, RefusesWordsThatDoNotGoTogether) {
  for (const Words& words :
       {Words{"--", "true"}, Words{"--fix", "--json"}, Words{"--restore", "--json"},
        Words{"--restore", "--", "true"}, Words{"--fix", "--restore"}, Words{"--unknown"}}) {
    EXPECT_EQ(run(words), 2) << words.front();
    EXPECT_EQ(errors_.find('\n'), std::string::npos) << errors_;
    EXPECT_EQ(tree_.read(governor), "powersave");
  }
}

TEST(PlatformCommandOfAnotherUser, MayNotSetTheHostUp) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(9);
    PlatformOptions options;
    options.action = PlatformOptions::Action::fix;
    options.command = {"true"};
    try {
      ::_exit(run_platform_command(options, {}) + 10);
    } catch (const InputError& error) {
      ::_exit(std::string(error.what()).find("sudo") != std::string::npos ? 2 : 3);
    } catch (...) {
      ::_exit(8);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

}  // namespace
}  // namespace tandem::daemon::commands
