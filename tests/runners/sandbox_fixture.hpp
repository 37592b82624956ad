#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"
#include "support/paths.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {

/// A test inside a real sandbox; skipped, with the reason, where the host has none.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override;

  /// A shell inside, with a writable directory /room of the test's own.
  [[nodiscard]] Command shell(const std::string& script) const;
  [[nodiscard]] static Finished run(const Command& command,
                                    std::chrono::milliseconds deadline = std::chrono::seconds{30});

  /// The processes of this host that were started by this test program and still run.
  [[nodiscard]] static std::vector<std::string> descendants();

  std::optional<SandboxTools> tools_;
  tests::TemporaryDirectory directory_;
};

inline void SandboxTest::SetUp() {
  static const auto found = find_sandbox(tests::paths::shim);
  if (const auto* reason = std::get_if<std::string>(&found)) GTEST_SKIP() << *reason;
  tools_ = std::get<SandboxTools>(found);
  give_to_sandbox(directory_.path());
}

inline Command SandboxTest::shell(const std::string& script) const {
  Command command{{"/bin/bash", "-c", script}, {"PATH=/usr/bin:/bin"}, "/room", {}, {}};
  command.sandbox = Sandbox{*tools_, {{directory_.path(), "/room", Sandbox::Access::write}}};
  return command;
}

inline Finished SandboxTest::run(const Command& command, std::chrono::milliseconds deadline) {
  Limits limits;
  limits.deadline = deadline;
  return run_command(command, limits);
}

inline std::vector<std::string> SandboxTest::descendants() {
  std::vector<std::string> all;
  std::error_code error;
  std::vector<std::string> open = {std::to_string(::getpid())};
  while (!open.empty()) {
    const std::filesystem::path tasks = "/proc/" + open.back() + "/task";
    open.pop_back();
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
      std::ifstream children(task.path() / "children");
      for (std::string pid; children >> pid;) {
        all.push_back(pid);
        open.push_back(pid);
      }
    }
  }
  return all;
}

/// Launches inside.
class SandboxLaunchTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (!tools_) return;
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{10};
    settings.sandbox = Sandbox{*tools_, {}};
    // A host with one core has no place for two sides; here they only have to run.
    if (settings.cpus.duet[0].empty()) settings.cpus.duet = {settings.cpus.measured, settings.cpus.measured};
    runner_.emplace(settings);
  }

  LaunchResult launch(const ProgramPair& programs, const Subject& subject, const LaunchPlan& plan) {
    auto result = runner_->launch(programs, subject, plan, {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_TRUE(descendants().empty());
    return result;
  }

  tests::TemporaryDirectory scratch_;
  std::optional<HostPairRunner> runner_;
};

}  // namespace tandem::runners
