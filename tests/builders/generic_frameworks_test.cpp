// The frameworks that come with the tree, on a small library with three commits.
#include <unistd.h>

#include "builder_fixture.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;

class GenericFrameworks : public BuilderTest {
 protected:
  GenericFrameworks() {
    settings_.frameworks_dir = fs::path(tests::paths::source) / "specs/frameworks";
    settings_.sdk_dir = fs::path(tests::paths::source) / "runners/sdk";
    settings_.ccache = BuildSettings::Ccache::if_present;
    settings_.section = specs::BuildSection{};
    settings_.section->folder = temporary_.path() / "spec";
    settings_.section->file = "spec.json";

    write(upstream_ / "include/tiny/tiny.hpp", "#pragma once\nnamespace tiny { int twice(int n); }\n");
    write(upstream_ / "src/tiny.cpp", "#include <tiny/tiny.hpp>\nint tiny::twice(int n) { return n + n; }\n");
    write(upstream_ / "CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.13)\nproject(tiny CXX)\n"
          "option(TINY_TESTS \"\" ON)\n"
          "add_library(tiny src/tiny.cpp)\nadd_library(tiny::tiny ALIAS tiny)\n"
          "target_include_directories(tiny PUBLIC include)\n"
          "add_executable(tiny-bench bench.cpp)\ntarget_link_libraries(tiny-bench PRIVATE tiny)\n"
          "if(TINY_TESTS)\n  find_package(NobodyHasThis REQUIRED)\nendif()\n");
    write(upstream_ / "bench.cpp",
          "#include <cstdio>\n#include <tiny/tiny.hpp>\nint main() { std::printf(\"%d\\n\", tiny::twice(4)); "
          "}\n");
    commit_all("Doubles");
    first_ = tip();
    write(upstream_ / "src/tiny.cpp", "#include <tiny/tiny.hpp>\nint tiny::twice(int n) { return n << 1 }\n");
    commit_all("Forgets a semicolon");
    broken_ = tip();
    write(upstream_ / "src/tiny.cpp", "#include <tiny/tiny.hpp>\nint tiny::twice(int n) { return n * 3; }\n");
    commit_all("Triples");
    third_ = tip();
  }

  void cmake(const std::string& target) {
    settings_.framework = "generic-cmake";
    settings_.section->target = target;
    settings_.section->options = {"-DTINY_TESTS=OFF"};
  }

  void own_source(const std::string& library) {
    write(settings_.section->folder / "own.cpp",
          "#include <tandem.hpp>\n#include <tiny/tiny.hpp>\n#include \"answer.hpp\"\n"
          "int main() { std::printf(\"own %d\\n\", tiny::twice(answer())); }\n");
    write(settings_.section->folder / "answer.hpp", "inline int answer() { return 4; }\n");
    settings_.section->sources = {"own.cpp", "answer.hpp"};
    if (!library.empty()) settings_.section->libraries = {library};
    settings_.section->standard = 17;
  }

  std::string output_of(const Commit& commit) {
    runners::Command command;
    command.argv = {built(commit).program};
    if (command.argv.front().empty()) return "not built";
    return run_command(command, {}).output;
  }

  void use_sandbox() {
    auto found = runners::find_sandbox(tests::paths::shim);
    if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
    settings_.sandbox = std::get<runners::SandboxTools>(found);
  }

  Commit first_;
  Commit broken_;
  Commit third_;
};

bool has_cmake() {
  return ::access("/usr/bin/cmake", X_OK) == 0 || ::access("/usr/local/bin/cmake", X_OK) == 0;
}

TEST_F(GenericFrameworks, CmakeBuildsATargetOfTheProject) {
  if (!has_cmake()) GTEST_SKIP() << "cmake is not installed";
  cmake("tiny-bench");
  EXPECT_EQ(output_of(first_), "8\n");
  const BuildFailure failure = failed(broken_);
  EXPECT_EQ(failure.kind, Kind::source);
  EXPECT_NE(failure.last_lines.find("tiny.cpp:2"), std::string::npos) << failure.last_lines;
  EXPECT_EQ(output_of(third_), "12\n");
  EXPECT_EQ(built_anew(first_).manifest, built_anew(first_).manifest) << "the same bytes";
}

TEST_F(GenericFrameworks, CmakeLinksTheUsersSourcesToTheProject) {
  if (!has_cmake()) GTEST_SKIP() << "cmake is not installed";
  cmake("");
  own_source("tiny::tiny");
  EXPECT_EQ(output_of(first_), "own 8\n");
  EXPECT_EQ(output_of(third_), "own 12\n");
  const Executable here = built_anew(first_);
  EXPECT_EQ(here.manifest, built_anew(first_).manifest) << "the same bytes";
  settings_.state_dir = temporary_.path() / "another-place-for-the-state";
  EXPECT_EQ(here.manifest, built_anew(first_).manifest) << "the same bytes";
}

TEST_F(GenericFrameworks, CmakeKeepsSharedLibrariesBesideTheProgram) {
  if (!has_cmake()) GTEST_SKIP() << "cmake is not installed";
  cmake("tiny-bench");
  settings_.section->options.emplace_back("-DBUILD_SHARED_LIBS=ON");
  EXPECT_EQ(output_of(first_), "8\n");
  EXPECT_EQ(built(first_).further_programs.count("libtiny.so"), 1U);
}

TEST_F(GenericFrameworks, CmakeSaysWhichTargetIsMissingOrMakesNoProgram) {
  if (!has_cmake()) GTEST_SKIP() << "cmake is not installed";
  cmake("tiny-banch");
  EXPECT_NE(failed(first_).last_lines.find("has no target \"tiny-banch\""), std::string::npos);
  cmake("tiny");
  EXPECT_NE(failed(first_).last_lines.find("\"tiny\" makes no program"), std::string::npos);
  settings_.section->target.clear();
  settings_.section->sources.clear();
  EXPECT_THROW(ScriptBuilder{settings_}, InputError);
}

TEST_F(GenericFrameworks, HeadersCompilesTheUsersSourcesAgainstTheTree) {
  settings_.framework = "generic-headers";
  own_source("");
  // A library of headers alone: here the tree's source is included.
  write(settings_.section->folder / "all.cpp", "#include \"../src/tiny.cpp\"\n");
  settings_.section->sources.emplace_back("all.cpp");
  settings_.section->include = {"include", "src"};
  settings_.section->options = {"-DNAME=\"two words\"", "-Wall"};
  settings_.section->libraries = {"m"};
  EXPECT_EQ(output_of(first_), "own 8\n");
  EXPECT_EQ(failed(broken_).kind, Kind::source);
  EXPECT_EQ(output_of(third_), "own 12\n");
  EXPECT_EQ(built_anew(first_).manifest, built_anew(first_).manifest) << "the same bytes";
  settings_.section->include = {"headers"};
  const BuildFailure failure = failed(first_);
  EXPECT_EQ(failure.exit_status, 2);
  EXPECT_NE(failure.last_lines.find("no directory \"headers\""), std::string::npos) << failure.last_lines;
}

TEST_F(GenericFrameworks, BuildInASandbox) {
  use_sandbox();
  if (!has_cmake()) GTEST_SKIP() << "cmake is not installed";
  if (IsSkipped()) return;
  cmake("");
  own_source("tiny::tiny");
  EXPECT_EQ(output_of(first_), "own 8\n");
  EXPECT_EQ(built_anew(third_).manifest, built_anew(third_).manifest) << "the same bytes";
  settings_.section->sources.clear();
  cmake("tiny-bench");
  EXPECT_EQ(output_of(third_), "12\n");
}

}  // namespace
}  // namespace tandem::builders
