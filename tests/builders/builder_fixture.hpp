#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "builders/builder.hpp"
#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "support/paths.hpp"

namespace tandem::builders {

/// Tests that build commits of `upstream` with the script of a framework "net".
class BuilderTest : public GitTest {
 protected:
  BuilderTest() {
    settings_.state_dir = state_dir_;
    settings_.exec_dir = temporary_.path() / "exec";
    settings_.mirror = mirror_;
    settings_.frameworks_dir = temporary_.path() / "frameworks";
    settings_.framework = "net";
    settings_.platform = "linux";
    settings_.jobs = 3;
    settings_.cxxflags = "-O2 -g0";
    settings_.ccache = BuildSettings::Ccache::off;
    settings_.deadline = std::chrono::seconds{60};
  }

  void script(const std::string& text, const std::string& place = "net/build.sh") {
    write_script(settings_.frameworks_dir / place, text);
  }

  Commit tip() {
    fetched(upstream_);
    return open_repository(mirror_)->find("main").value();
  }

  Executable built(const Commit& commit) { return built(ScriptBuilder(settings_).build(commit, {})); }
  static Executable built(std::variant<Executable, BuildFailure> result) {
    if (const auto* failure = std::get_if<BuildFailure>(&result)) {
      ADD_FAILURE() << name_of(failure->kind) << ": " << failure->sentence << "\n" << failure->last_lines;
      return {};
    }
    return std::get<Executable>(std::move(result));
  }

  /// From scratch: nothing of an earlier build is used.
  Executable built_anew(const Commit& commit) {
    settings_.exec_dir = temporary_.path() / ("exec" + std::to_string(++caches_));
    return built(commit);
  }

  BuildFailure failed(const Commit& commit, std::stop_token stop = {}) {
    auto result = ScriptBuilder(settings_).build(commit, stop);
    if (auto* failure = std::get_if<BuildFailure>(&result)) return *failure;
    ADD_FAILURE() << "the build succeeded";
    return {};
  }

  std::string log_of(const Commit& commit) const {
    return read(state_dir_ / "logs" / ("build-" + commit.id + "-linux.log"));
  }

  BuildSettings settings_;

 private:
  int caches_ = 0;
};

/// The same in a sandbox; a test is left out where the host allows none.
class SandboxedBuilderTest : public BuilderTest {
 protected:
  void SetUp() override {
    auto found = runners::find_sandbox(tests::paths::shim);
    if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
    settings_.sandbox = std::get<runners::SandboxTools>(found);
  }
};

}  // namespace tandem::builders
