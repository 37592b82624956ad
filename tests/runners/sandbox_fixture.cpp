#include "runners/sandbox_fixture.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/paths.hpp"

namespace tandem::runners {

void SandboxTest::SetUp() {
  static const auto found = find_sandbox(tests::paths::shim);
  if (const auto* reason = std::get_if<std::string>(&found)) GTEST_SKIP() << *reason;
  tools_ = std::get<SandboxTools>(found);
  give_to_sandbox(directory_.path());
}

Command SandboxTest::shell(const std::string& script) const {
  Command command{{"/bin/bash", "-c", script}, {"PATH=/usr/bin:/bin"}, "/room", {}, {}};
  command.sandbox = Sandbox{*tools_, {{directory_.path(), "/room", Sandbox::Access::write}}};
  return command;
}

Finished SandboxTest::run(const Command& command, std::chrono::milliseconds deadline) {
  Limits limits;
  limits.deadline = deadline;
  return run_command(command, limits);
}

std::vector<std::string> SandboxTest::descendants() {
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

}  // namespace tandem::runners
