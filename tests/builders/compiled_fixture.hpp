#pragma once

#include <string>
#include <vector>

#include "repository_fixture.hpp"
#include "runners/process/process.hpp"

namespace tandem::builders {

/// Tests with real little programs.
class CompiledTest : public testing::Test {
 protected:
  /// Compiles one program; the result is the path.
  fs::path compile(const std::string& name, const std::string& source,
                   const std::vector<std::string>& flags = {}) {
    write(folder_.path() / "source.cpp", source);
    std::vector<std::string> argv = {"/usr/bin/c++", "-o", folder_.path() / name, "source.cpp"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    run(argv);
    return folder_.path() / name;
  }

  void run(const std::vector<std::string>& argv) const {
    runners::Command command;
    command.argv = argv;
    command.environment = git_environment();
    command.working_directory = folder_.path();
    const auto finished = run_command(command, {});
    EXPECT_TRUE(finished.succeeded()) << finished.errors;
  }

  TemporaryDirectory folder_;
};

}  // namespace tandem::builders
