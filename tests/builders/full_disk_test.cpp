// A small file system of its own for the state directory or the cache. Needs root and a mount namespace.
#include <unistd.h>

#include <cstdio>

#include "builder_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;

class FullDisk : public BuilderTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small file system";
    script(
        "head -c 40000000 /dev/zero > \"$TANDEM_WORK_DIR/large\" || exit 1\n"
        "head -c 20000000 /dev/zero > \"$2\" && chmod +x \"$2\"\n");
    commit("a", "1");
    commit_ = tip();
  }

  /// 0 if the build fails for want of room and leaves nothing behind, and succeeds as soon as there is room.
  int fails_and_recovers(const fs::path& ballast) const {
    ScriptBuilder builder(settings_);
    auto result = builder.build(commit_, {});
    const auto* failure = std::get_if<BuildFailure>(&result);
    if (failure == nullptr) return 1;
    if (failure->kind != Kind::disk || !may_pass_later(failure->kind)) {
      std::fprintf(stderr, "%s: %s\n", name_of(failure->kind), failure->sentence.c_str());
      return 2;
    }
    if (fs::exists(state_dir_ / "work/00")) return 3;
    fs::remove(ballast);
    result = builder.build(commit_, {});
    if (const auto* second = std::get_if<BuildFailure>(&result)) {
      std::fprintf(stderr, "%s: %s\n", name_of(second->kind), second->sentence.c_str());
      return 4;
    }
    return builder.build(commit_, {}).index() == 0 && std::get<Executable>(result).manifest.size() == 1 ? 0
                                                                                                        : 5;
  }

  Commit commit_;
};

TEST_F(FullDisk, DuringTheBuildIsNotTheCommitsFault) {
  const fs::path work = state_dir_ / "work";
  const int status = with_small_disk(work, 100, [&] {
    write(work / "ballast", std::string(std::size_t{80} << 20, 'x'));
    return fails_and_recovers(work / "ballast");
  });
  if (status == 77) GTEST_SKIP() << "this host lets nobody mount";
  EXPECT_EQ(status, 0);
}

TEST_F(FullDisk, ThatABuildFilledThroughItsCcacheIsThatCommitsFault) {
  const fs::path small = temporary_.path() / "small";
  settings_.state_dir = small;
  settings_.ccache = BuildSettings::Ccache::if_present;
  write_script(temporary_.path() / "bin/ccache", "exit 1\n");
  settings_.search_path = (temporary_.path() / "bin").string() + ":" + settings_.search_path;
  script("test ! -e \"$1/greedy\" || cat /dev/zero > \"$CCACHE_DIR/junk\" || exit 1\ncp /bin/true \"$2\"\n");
  commit("greedy", "1");
  const Commit greedy = tip();
  fs::remove(upstream_ / "greedy");
  commit_all("Build as others do");
  const Commit sound = tip();
  const int status = with_small_disk(small, 100, [&] {
    ScriptBuilder builder(settings_);
    const auto result = builder.build(greedy, {});
    const auto* failure = std::get_if<BuildFailure>(&result);
    if (failure == nullptr || failure->kind != Kind::too_large) {
      std::fprintf(stderr, "%s\n", failure == nullptr ? "it was built" : failure->sentence.c_str());
      return 1;
    }
    return std::holds_alternative<Executable>(builder.build(sound, {})) ? 0 : 2;
  });
  if (status == 77) GTEST_SKIP() << "this host lets nobody mount";
  EXPECT_EQ(status, 0);
}

TEST_F(FullDisk, WhilePublishingLeavesNoHalfEntry) {
  const int status = with_small_disk(settings_.exec_dir, 40, [&] {
    write(settings_.exec_dir / "ballast", std::string(std::size_t{30} << 20, 'x'));
    return fails_and_recovers(settings_.exec_dir / "ballast");
  });
  if (status == 77) GTEST_SKIP() << "this host lets nobody mount";
  EXPECT_EQ(status, 0);
}

TEST_F(FullDisk, WhereTheLogIsKeptIsNotTheCommitsFault) {
  script("head -c 3000000 /dev/zero | tr '\\0' x\ncp /bin/true \"$2\"\n");
  const fs::path logs = state_dir_ / "logs";
  const int status = with_small_disk(logs, 1, [&] {
    ScriptBuilder builder(settings_);
    try {
      const auto result = builder.build(commit_, {});
      const auto* failure = std::get_if<BuildFailure>(&result);
      return failure == nullptr || failure->kind == Kind::disk ? 0 : 1;
    } catch (const Error&) {
      return 0;  // the ground is broken, and said to be
    }
  });
  if (status == 77) GTEST_SKIP() << "this host lets nobody mount";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tandem::builders
