#include <unistd.h>

#include "builder_fixture.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

/// A program whose bytes could tell where, when and after what it was built: paths in assertions and debug
/// information, date and time, a static library made on the way.
class ReproducibleBuild : public BuilderTest {
 protected:
  void SetUp() override {
    script(
        "cd \"$TANDEM_WORK_DIR\"\n"
        "c++ $CXXFLAGS -g -c \"$1/part.cpp\" -o part.o\n"
        "ar rcs libpart.a part.o\n"
        "c++ $CXXFLAGS -g \"$1/main.cpp\" libpart.a $LDFLAGS -o \"$2\"\n"
        "cc $CFLAGS -g \"$1/more.c\" -o \"$(dirname \"$2\")/more\"\n");
    write(upstream_ / "part.cpp", "#include <cassert>\nint part(int n) { assert(n > 0); return n; }\n");
    write(upstream_ / "more.c", "#include <assert.h>\nint main(int n) { assert(n > 0); return 0; }\n");
    write(
        upstream_ / "main.cpp",
        "#include <cstdio>\nint part(int);\nint main(int n, char**) { std::puts(__DATE__ __TIME__ __FILE__);"
        " return part(n) - n; }\n");
    commit_all("First");
    first_ = tip();
    write(upstream_ / "part.cpp", "int part(int n) { return n * 2; }\n");
    commit_all("Second");
    second_ = tip();
  }

  /// Twice, with another commit in between.
  void expect_same_bytes() {
    const Executable once = built_anew(first_);
    built_anew(second_);
    const Executable again = built_anew(first_);
    EXPECT_FALSE(again.from_cache);
    EXPECT_EQ(once.manifest, again.manifest);
    EXPECT_EQ(once.manifest.size(), 2U);
  }

  Commit first_;
  Commit second_;
};

class SandboxedReproducibleBuild : public ReproducibleBuild {
 protected:
  void SetUp() override {
    auto found = runners::find_sandbox(tests::paths::shim);
    if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
    settings_.sandbox = std::get<runners::SandboxTools>(found);
    ReproducibleBuild::SetUp();
  }
};

bool has_ccache() {
  return ::access("/usr/bin/ccache", X_OK) == 0 || ::access("/usr/local/bin/ccache", X_OK) == 0;
}

TEST_F(ReproducibleBuild, GivesTheSameBytes) {
  expect_same_bytes();
}

TEST_F(ReproducibleBuild, GivesTheSameBytesThroughCcache) {
  if (!has_ccache()) GTEST_SKIP() << "ccache is not installed";
  const Executable without = built_anew(first_);
  settings_.ccache = BuildSettings::Ccache::if_present;
  expect_same_bytes();
  EXPECT_EQ(built_anew(first_).manifest, without.manifest);
  EXPECT_FALSE(fs::is_empty(state_dir_ / "ccache"));
}

TEST_F(ReproducibleBuild, GivesTheSameBytesInAnotherStateDirectory) {
  const Executable here = built_anew(first_);
  settings_.state_dir = temporary_.path() / "a state directory with a longer name";
  EXPECT_NE(built_anew(first_).manifest, here.manifest) << "a space cannot stand in the flags";
  settings_.state_dir = temporary_.path() / "a-state-directory-with-a-longer-name";
  EXPECT_EQ(built_anew(first_).manifest, here.manifest);
}

TEST_F(SandboxedReproducibleBuild, GivesTheSameBytes) {
  expect_same_bytes();
  const Executable here = built_anew(first_);
  settings_.state_dir = temporary_.path() / "a state directory with a longer name";
  EXPECT_EQ(built_anew(first_).manifest, here.manifest);
}

TEST_F(SandboxedReproducibleBuild, GivesTheSameBytesThroughCcache) {
  if (!has_ccache()) GTEST_SKIP() << "ccache is not installed";
  const Executable without = built_anew(first_);
  settings_.ccache = BuildSettings::Ccache::if_present;
  expect_same_bytes();
  EXPECT_EQ(built_anew(first_).manifest, without.manifest);
}

}  // namespace
}  // namespace tandem::builders
