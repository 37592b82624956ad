#include "builders/builder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <thread>

#include "builders/repository.hpp"
#include "git_fixture.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;
using namespace std::chrono_literals;

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
    settings_.deadline = 60s;
  }

  /// Every script notes that it ran.
  void script(const std::string& text, const std::string& place = "net/build.sh") {
    write_script(settings_.frameworks_dir / place, "echo ran >> " + runs_.string() + "\n" + text);
  }

  std::size_t runs() const {
    const std::string text = read(runs_);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
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

  BuildFailure failed(const Commit& commit, std::stop_token stop = {}) {
    auto result = ScriptBuilder(settings_).build(commit, stop);
    if (auto* failure = std::get_if<BuildFailure>(&result)) return *failure;
    ADD_FAILURE() << "the build succeeded";
    return {};
  }

  BuildSettings settings_;
  fs::path runs_ = temporary_.path() / "runs";
};

TEST_F(BuilderTest, BuildsOnceAndTakesTheRestFromTheCache) {
  script("cp \"$1/program\" \"$2\"\ncp \"$1/helper\" \"$(dirname \"$2\")\"\n");
  write_script(upstream_ / "program", "echo program\n");
  write_script(upstream_ / "helper", "echo helper\n");
  commit_all("Programs");
  const Commit commit = tip();
  const Executable first = built(commit);
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.commit, commit.id);
  EXPECT_EQ(first.program.filename(), "net_benchmark");
  EXPECT_EQ(read(first.program), "#!/bin/sh\necho program\n");
  EXPECT_EQ(read(first.further_programs.at("helper")), "#!/bin/sh\necho helper\n");

  const Executable second = built(commit);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.program, first.program);
  EXPECT_EQ(second.further_programs, first.further_programs) << "further programs are there on every use";
  EXPECT_EQ(runs(), 1U);
}

TEST_F(BuilderTest, BuildsAgainWhenScriptFlagsOrPlatformChange) {
  script("cp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  const auto key = built(commit).key;
  write(settings_.frameworks_dir / "net/flags.txt", "more");
  EXPECT_NE(built(commit).key, key);
  settings_.ldflags = "-s";
  built(commit);
  settings_.platform = "other";
  built(commit);
  EXPECT_EQ(runs(), 4U);
}

TEST_F(BuilderTest, RebuildsADamagedEntryAndSaysSo) {
  script("cp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  const Executable first = built(commit);
  EXPECT_EQ(first.repaired, "");
  fs::permissions(first.program, fs::perms::owner_all);
  write(first.program, "tampered");
  const Executable again = built(commit);
  EXPECT_FALSE(again.from_cache);
  EXPECT_NE(again.repaired.find("was damaged"), std::string::npos) << again.repaired;
  EXPECT_EQ(read(again.program), "#!/bin/sh\nexit 0\n");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(BuilderTest, GivesTheScriptACleanAndFixedEnvironment) {
  settings_.sdk_dir = temporary_.path() / "sdk";
  settings_.ccache_dir = temporary_.path() / "ccache";
  ::setenv("TANDEM_LEAKED", "secret", 1);
  script("env | sort\npwd\nls -A\ntest -w \"$HOME\" && test -w \"$TMPDIR\"\ncp program \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  built(commit);
  ::unsetenv("TANDEM_LEAKED");
  const std::string log = read(state_dir_ / "logs" / ("build-" + commit.id + "-linux.log"));
  for (const std::string& line :
       {std::string("CXXFLAGS=-O2 -g0"), std::string("LDFLAGS="), std::string("TANDEM_JOBS=3"),
        std::string("TZ=UTC"), std::string("LANG=C.UTF-8"),
        "SOURCE_DATE_EPOCH=" + std::to_string(commit.committer_time),
        "TANDEM_SDK_DIR=" + settings_.sdk_dir.string(), "CCACHE_DIR=" + settings_.ccache_dir.string(),
        (state_dir_ / "work/00/tree").string(), std::string("program")}) {
    EXPECT_NE(log.find(line + "\n"), std::string::npos) << line << "\n" << log;
  }
  EXPECT_EQ(log.find("LEAKED"), std::string::npos);
  EXPECT_EQ(log.find(".git"), std::string::npos);
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00")) << "the work directory is removed";
}

TEST_F(BuilderTest, CallsAScriptThatExits7AFailureEvenIfItLeftAProgram) {
  script("cp \"$1/program\" \"$2\"\necho 'error: it broke' >&2\nexit 7\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::source);
  EXPECT_EQ(failure.exit_status, 7);
  EXPECT_EQ(failure.commit, commit.id);
  EXPECT_NE(failure.sentence.find("exited with status 7"), std::string::npos) << failure.sentence;
  EXPECT_NE(failure.last_lines.find("error: it broke"), std::string::npos);
  EXPECT_TRUE(fs::exists(failure.log));
  EXPECT_EQ(runs(), 1U) << "a script is not run again in the hope of better luck";
}

TEST_F(BuilderTest, KeepsTheLastLinesOfALongLog) {
  script("seq 1 5000\nexit 1\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_TRUE(failure.last_lines.starts_with("4981\n")) << failure.last_lines;
  EXPECT_TRUE(failure.last_lines.ends_with("5000"));
  EXPECT_EQ(read(failure.log).size(), 23893U);
}

TEST_F(BuilderTest, EndsAScriptThatHangs) {
  settings_.deadline = 300ms;
  script("sleep 1000\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::timed_out);
  EXPECT_FALSE(failure.exit_status);
}

TEST_F(BuilderTest, CallsEverythingThatCannotBeStartedNoProgram) {
  commit("a", "1");
  const Commit commit = tip();
  for (const char* text : {"exit 0\n", "echo data > \"$2\"\n", "mkdir \"$2\"\n", "ln -s /bin/true \"$2\"\n",
                           ": > \"$2\"; chmod +x \"$2\"\n"}) {
    script(text);
    const BuildFailure failure = failed(commit);
    EXPECT_EQ(failure.kind, Kind::not_a_program) << text << failure.sentence;
  }
  script("cp /bin/true \"$2\"; ln -s /etc \"$(dirname \"$2\")/etc\"\n");
  EXPECT_EQ(failed(commit).kind, Kind::not_a_program);
}

TEST_F(BuilderTest, NamesBothPlacesOfAMissingScript) {
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::script_missing);
  EXPECT_NE(failure.sentence.find("net/linux/build.sh"), std::string::npos) << failure.sentence;
  EXPECT_NE(failure.sentence.find("net/build.sh"), std::string::npos) << failure.sentence;
}

TEST_F(BuilderTest, ReportsACheckoutThatIsNotPossible) {
  script("exit 0\n");
  commit("model.bin", "version https://git-lfs.github.com/spec/v1\n");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::checkout);
  EXPECT_NE(failure.sentence.find("LFS"), std::string::npos);
  EXPECT_EQ(runs(), 0U);
}

TEST_F(BuilderTest, StopsOnRequest) {
  script("sleep 1000\n");
  commit("a", "1");
  const Commit commit = tip();
  std::stop_source stop;
  std::jthread stopper([&](const std::stop_token& ended) {
    while (runs() == 0 && !ended.stop_requested()) std::this_thread::sleep_for(1ms);
    stop.request_stop();
  });
  EXPECT_EQ(failed(commit, stop.get_token()).kind, Kind::stopped);
}

TEST_F(BuilderTest, BuildsTheSameBytesFromTheSameSource) {
  script("c++ $CXXFLAGS -g -o \"$2\" \"$1/main.cpp\"\n");
  commit("main.cpp", "#include <cassert>\nint main(int n, char**) { assert(n > 0); }\n");
  const Commit commit = tip();
  const Executable first = built(commit);
  settings_.exec_dir = temporary_.path() / "elsewhere";
  const Executable second = built(commit);
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(first.manifest, second.manifest);
}

TEST_F(BuilderTest, CleansUpAfterKilledBuildsWhenItStarts) {
  write(state_dir_ / "work/00/tree/stale", "x");
  write(state_dir_ / "work/07/tree/stale", "x");
  write(settings_.exec_dir / "incoming/dead/entry/manifest.json", "{");
  const ScriptBuilder builder(settings_);
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00"));
  EXPECT_FALSE(fs::exists(state_dir_ / "work/07"));
  EXPECT_FALSE(fs::exists(settings_.exec_dir / "incoming/dead"));
}

TEST_F(BuilderTest, ThrowsWhenTheMirrorIsGone) {
  script("exit 0\n");
  commit("a", "1");
  const Commit commit = tip();
  fs::remove_all(mirror_);
  EXPECT_THROW(static_cast<void>(ScriptBuilder(settings_).build(commit, {})), Error);
}

}  // namespace
}  // namespace tandem::builders
