// A supervisor that is about to be killed: starts a child that would run for ever, prints its number, and
// waits. With a shim as second argument the child is started in a sandbox.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "runners/process/process.hpp"
#include "runners/process/sandbox.hpp"

namespace fs = std::filesystem;
using namespace tandem::runners;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const fs::path program = argv[1];
  Command command{{program.string()}, {}, {}, {}, {}};
  if (argc > 2) {
    const auto found = find_sandbox(argv[2]);
    if (!std::holds_alternative<SandboxTools>(found)) return 3;
    command.sandbox = Sandbox{std::get<SandboxTools>(found), {{program, program}}};
  }
  Children children;
  const auto child = children.start(command, {});
  // In a sandbox several processes come before the program.
  for (std::string name; name != program.filename();) {
    if (!children.running(child)) return 4;
    static_cast<void>(children.wait(Children::Clock::now() + std::chrono::milliseconds{5}, {}));
    std::getline(std::ifstream("/proc/" + std::to_string(children.program_pid(child)) + "/comm"), name);
  }
  std::printf("%d\n", children.program_pid(child));
  std::fflush(stdout);
  for (;;) ::pause();
}
