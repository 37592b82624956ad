// Building with captured links, and linking again.
#include <unistd.h>

#include "builder_fixture.hpp"
#include "builders/layout/layout.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

/// The parameter says whether the build runs in a sandbox.
class Layouts : public BuilderTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    for (const char* place : {"/usr/bin/ld.lld", "/usr/local/bin/ld.lld"}) {
      if (settings_.lld.empty() && ::access(place, X_OK) == 0) settings_.lld = place;
    }
    if (settings_.lld.empty()) GTEST_SKIP() << "lld is not installed";
    if (GetParam()) {
      auto found = runners::find_sandbox(tests::paths::shim);
      if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
      settings_.sandbox = std::get<runners::SandboxTools>(found);
    }
    settings_.linker = tests::paths::linker;
    settings_.ccache = BuildSettings::Ccache::if_present;
    script(
        "cd \"$TANDEM_WORK_DIR\"\nc++ $CXXFLAGS -c \"$1/main.cpp\" -o main.o\nc++ $LDFLAGS main.o -o "
        "\"$2\"\n");
    std::string source = "#include <cstdio>\n";
    std::string calls;
    for (int i = 0; i < 20; ++i) {
      const std::string name = "part" + std::to_string(i);
      source += "__attribute__((noinline)) int " + name + "(int n) { return n * " + std::to_string(i + 2) +
                " + std::printf(\"\"); }\n";
      calls += " + " + name + "(n)";
    }
    commit("main.cpp", source + "int main(int n, char**) { std::printf(\"%d\\n\", 0" + calls + "); }\n");
    commit_ = tip();
  }

  static std::string output_of(const Executable& executable) {
    runners::Command command;
    command.argv = {executable.program};
    return run_command(command, {}).output;
  }

  Commit commit_;
};

TEST_P(Layouts, AreMadeOnceBySeedWithoutTheScript) {
  ScriptBuilder builder(settings_);
  const Executable executable = built(builder.build(commit_, {}));
  ASSERT_EQ(executable.layout_unresolved, "");
  ASSERT_FALSE(executable.links.empty());
  auto relinked = builder.relink(executable, 7, {});
  if (const auto* why = std::get_if<RelinkFailure>(&relinked)) FAIL() << why->sentence;
  const Executable layout = std::get<Executable>(relinked);
  EXPECT_EQ(layout.commit, commit_.id);
  EXPECT_NE(layout.key, executable.key);
  EXPECT_NE(layout.program, executable.program);
  EXPECT_NE(function_order(layout.program), function_order(executable.program));
  EXPECT_EQ(output_of(layout), "230\n");
  EXPECT_EQ(output_of(executable), "230\n");

  const auto again = builder.relink(executable, 7, {});
  EXPECT_TRUE(std::get<Executable>(again).from_cache);
  const auto other = builder.relink(executable, 8, {});
  EXPECT_NE(function_order(std::get<Executable>(other).program), function_order(layout.program));
  // What comes from the cache can be relinked like what was just built.
  const auto third = builder.relink(built(builder.build(commit_, {})), 9, {});
  EXPECT_EQ(third.index(), 0U);
}

TEST_P(Layouts, LeaveTheSameBytesFromTheSameSource) {
  EXPECT_EQ(built_anew(commit_).manifest, built_anew(commit_).manifest);
}

TEST_P(Layouts, AreRefusedWithASentenceWhereNothingWasCaptured) {
  settings_.linker.clear();
  ScriptBuilder builder(settings_);
  const Executable executable = built(builder.build(commit_, {}));
  EXPECT_FALSE(executable.layout_unresolved.empty());
  const auto relinked = builder.relink(executable, 7, {});
  EXPECT_EQ(std::get<RelinkFailure>(relinked).sentence, executable.layout_unresolved);
  EXPECT_EQ(std::get<RelinkFailure>(relinked).kind, RelinkFailure::Kind::not_possible);
}

INSTANTIATE_TEST_SUITE_P(Ground, Layouts, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "Sandbox" : "Host"; });

}  // namespace
}  // namespace tandem::builders
