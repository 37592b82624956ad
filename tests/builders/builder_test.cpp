#include "builders/builder.hpp"

#include <grp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <thread>

#include "builder_fixture.hpp"
#include "builders/build_attempt.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;
using namespace std::chrono_literals;

/// Every script notes that it ran.
class ScriptBuilderTest : public BuilderTest {
 protected:
  void script(const std::string& text, const std::string& place = "net/build.sh") {
    BuilderTest::script("echo ran >> " + runs_.string() + "\n" + text, place);
  }

  std::size_t runs() const {
    const std::string text = read(runs_);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  fs::path runs_ = temporary_.path() / "runs";
};

TEST_F(ScriptBuilderTest, BuildsOnceAndTakesTheRestFromTheCache) {
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

TEST_F(ScriptBuilderTest, BuildsAgainWhenScriptFlagsOrPlatformChange) {
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

TEST_F(ScriptBuilderTest, PutsADamagedMirrorAsideOnceAndBuildsWhenItIsFetchedAgain) {
  script("cp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  damage(git({"rev-parse", "HEAD:program"}));
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::mirror) << failure.sentence;
  EXPECT_TRUE(may_pass_later(failure.kind));
  EXPECT_FALSE(fs::exists(mirror_));
  built(tip());

  fs::remove_all(settings_.exec_dir);
  damage(git({"rev-parse", "HEAD:program"}));
  EXPECT_EQ(failed(commit).kind, Kind::checkout) << "damaged again at once: the source itself must be";
}

TEST_F(ScriptBuilderTest, RebuildsADamagedEntryAndSaysSo) {
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

TEST_F(ScriptBuilderTest, GivesTheScriptACleanAndFixedEnvironment) {
  settings_.sdk_dir = temporary_.path() / "sdk";
  ::setenv("TANDEM_LEAKED", "secret", 1);
  script("env | sort\npwd\nls -A\ntest -w \"$HOME\" && test -w \"$TMPDIR\"\ncp program \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  built(commit);
  ::unsetenv("TANDEM_LEAKED");
  const std::string log = log_of(commit);
  const fs::path work = state_dir_ / "work/00";
  for (const std::string& line :
       {"CXXFLAGS=-O2 -g0 -ffile-prefix-map=" + work.string() + "=/tandem",
        "CFLAGS=-O2 -g0 -ffile-prefix-map=" + work.string() + "=/tandem", std::string("LDFLAGS="),
        std::string("TANDEM_JOBS=3"), std::string("TZ=UTC"), std::string("LANG=C.UTF-8"),
        "TANDEM_WORK_DIR=" + (work / "objects").string(),
        "SOURCE_DATE_EPOCH=" + std::to_string(commit.committer_time),
        "TANDEM_SDK_DIR=" + settings_.sdk_dir.string(), (work / "tree").string(), std::string("program")}) {
    EXPECT_NE(log.find(line + "\n"), std::string::npos) << line << "\n" << log;
  }
  EXPECT_EQ(log.find("LEAKED"), std::string::npos);
  EXPECT_EQ(log.find(".git"), std::string::npos);
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00")) << "the work directory is removed";
}

TEST_F(ScriptBuilderTest, CallsAScriptThatExits7AFailureEvenIfItLeftAProgram) {
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

TEST_F(ScriptBuilderTest, KeepsTheLastLinesOfALongLog) {
  script("seq 1 5000\nexit 1\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_TRUE(failure.last_lines.starts_with("4981\n")) << failure.last_lines;
  EXPECT_TRUE(failure.last_lines.ends_with("5000"));
  EXPECT_EQ(read(failure.log).size(), 23893U);
}

TEST_F(ScriptBuilderTest, EndsAScriptThatHangs) {
  settings_.deadline = 300ms;
  script("sleep 1000\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::timed_out);
  EXPECT_FALSE(failure.exit_status);
}

TEST_F(ScriptBuilderTest, EndsAScriptThatPrintsWithoutEnd) {
  script("yes\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::output);
  EXPECT_FALSE(may_pass_later(failure.kind));
}

TEST_F(ScriptBuilderTest, EndsWhatAScriptLeftBehindAndIgnoresSigterm) {
  settings_.deadline = 500ms;
  const fs::path alive = temporary_.path() / "alive";
  script("trap '' TERM\n(trap '' TERM; while :; do date > " + alive.string() +
         "; sleep 0.01; done) &\nwait\n");
  commit("a", "1");
  EXPECT_EQ(failed(tip()).kind, Kind::timed_out);
  fs::remove(alive);
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(fs::exists(alive)) << "nothing goes on";
}

TEST_F(ScriptBuilderTest, TriesOnceMoreWithOneJobWhenMemoryRanOut) {
  // What gcc says when the kernel has killed its compiler.
  script(
      "echo \"jobs $TANDEM_JOBS\"\n[ \"$TANDEM_JOBS\" = 1 ] || {\n"
      "echo 'c++: fatal error: Killed signal terminated program cc1plus'; exit 1; }\n"
      "cp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  built(commit);
  EXPECT_EQ(runs(), 2U);
  EXPECT_NE(log_of(commit).find("jobs 3\n"), std::string::npos) << "the first log is kept";
  EXPECT_NE(log_of(commit).find("jobs 1\n"), std::string::npos);

  script("echo 'c++: fatal error: Killed signal terminated program cc1plus'\nexit 1\n");
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::memory);
  EXPECT_FALSE(may_pass_later(failure.kind));
  EXPECT_EQ(runs(), 4U) << "and not a third time";
}

TEST_F(ScriptBuilderTest, GivesTheBuildSectionToTheScriptAndToTheKey) {
  const fs::path folder = temporary_.path() / "spec";
  write(folder / "bench/a.cpp", "one");
  write(folder / "b.cpp", "two");
  settings_.section = specs::BuildSection{};
  settings_.section->folder = folder;
  settings_.section->sources = {"bench/a.cpp", "b.cpp"};
  settings_.section->options = {"-DA=1 2", "-DB"};
  settings_.section->target = "t";
  settings_.section->standard = 20;
  script(
      "env | grep -A1 TANDEM_BUILD\necho \"$TANDEM_BUILD_SOURCES\" | xargs cat\ncp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  const Commit commit = tip();
  const std::string key = built(commit).key;
  const std::string log = log_of(commit);
  const std::string spec = (state_dir_ / "work/00/spec").string();
  for (const std::string& text :
       {std::string("TANDEM_BUILD_TARGET=t\n"), std::string("TANDEM_BUILD_OPTIONS=-DA=1 2\n-DB\n"),
        std::string("TANDEM_BUILD_STANDARD=20\n"),
        "TANDEM_BUILD_SOURCES=" + spec + "/bench/a.cpp\n" + spec + "/b.cpp\n", std::string("onetwo")}) {
    EXPECT_NE(log.find(text), std::string::npos) << text << "\n" << log;
  }
  EXPECT_TRUE(built(commit).from_cache);
  write(folder / "b.cpp", "three");
  EXPECT_NE(built(commit).key, key);
  settings_.section->standard = 17;
  built(commit);
  EXPECT_EQ(runs(), 3U);

  fs::remove(folder / "b.cpp");
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::script_missing);
  EXPECT_NE(failure.sentence.find("b.cpp"), std::string::npos) << failure.sentence;
}

TEST_F(ScriptBuilderTest, RefusesToBeginWithoutAWordOnWhatToBuild) {
  settings_.framework = "generic-cmake";
  EXPECT_THROW(ScriptBuilder{settings_}, InputError);
}

TEST_F(ScriptBuilderTest, ProvidesGitOnlyWhereItIsAskedFor) {
  script("set -e\ngit describe --tags\ngit status --short\ncp \"$1/program\" \"$2\"\n");
  write_script(upstream_ / "program", "exit 0\n");
  commit_all("Program");
  git({"tag", "v1.5"});
  const Commit commit = tip();
  EXPECT_EQ(failed(commit).kind, Kind::source);
  settings_.git = BuildSettings::Git::provided;
  built(commit);
  EXPECT_NE(log_of(commit).find("v1.5\n"), std::string::npos) << log_of(commit);
}

TEST_F(ScriptBuilderTest, CallsEverythingThatCannotBeStartedNoProgram) {
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

TEST_F(ScriptBuilderTest, NamesBothPlacesOfAMissingScript) {
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::script_missing);
  EXPECT_NE(failure.sentence.find("net/linux/build.sh"), std::string::npos) << failure.sentence;
  EXPECT_NE(failure.sentence.find("net/build.sh"), std::string::npos) << failure.sentence;
}

TEST_F(ScriptBuilderTest, ReportsACheckoutThatIsNotPossible) {
  script("exit 0\n");
  write(upstream_ / ".gitattributes", "*.bin filter=lfs\n");
  commit("model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::checkout);
  EXPECT_NE(failure.sentence.find("LFS"), std::string::npos);
  EXPECT_EQ(runs(), 0U);
}

/// Runs the work in a child as a user who may not read everything, to whom the directory belongs from then
/// on; its exit status.
int as_ordinary_user(const fs::path& directory, const std::function<int()>& work) {
  constexpr uid_t nobody = 65534;
  if (::geteuid() == 0) {
    EXPECT_EQ(::chown(directory.c_str(), nobody, nobody), 0);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      EXPECT_EQ(::lchown(entry.path().c_str(), nobody, nobody), 0) << entry.path();
    }
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
      ::_exit(70);
    }
    int status = 71;
    try {
      status = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 72;
}

TEST_F(ScriptBuilderTest, FailsACommitThatLeavesAFileThatCannotBeRead) {
  script(
      "cp /bin/true \"$2\"\necho secret > \"$(dirname \"$2\")/secret\"\n"
      "chmod 000 \"$(dirname \"$2\")/secret\"\n");
  commit("a", "1");
  const Commit commit = tip();
  const int status = as_ordinary_user(temporary_.path(), [&] {
    const auto result = ScriptBuilder(settings_).build(commit, {});
    const auto* failure = std::get_if<BuildFailure>(&result);
    if (failure == nullptr) return 1;
    std::fprintf(stderr, "%s\n", failure->sentence.c_str());
    return failure->kind == Kind::not_a_program && !may_pass_later(failure->kind) ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(ScriptBuilderTest, BoundsWhatScriptsHideInTheCcache) {
  settings_.ccache = BuildSettings::Ccache::if_present;
  write_script(temporary_.path() / "bin/ccache", "exit 1\n");
  settings_.search_path = (temporary_.path() / "bin").string() + ":" + settings_.search_path;
  settings_.ccache_dir = temporary_.path() / "ccache";
  settings_.ccache_bytes = std::uint64_t{1} << 20;
  BuilderTest::script("exit 0\n");
  const BuildScript script = find_build_script(settings_.frameworks_dir, "net", "linux");
  const fs::path kept = settings_.ccache_dir / "host";
  const auto hide = [&](std::size_t bytes) {
    write(kept / "deep/hidden/junk", std::string(bytes, 'x'));
    fs::permissions(kept / "deep/hidden", fs::perms::none);
    fs::permissions(kept / "deep", fs::perms::none);
  };
  const int status = as_ordinary_user(temporary_.path(), [&] {
    hide(100'000);
    static_cast<void>(prepare_directories(settings_, temporary_.path() / "work", script));
    if (!fs::exists(kept / "deep/hidden/junk")) return 1;
    hide(3'000'000);
    static_cast<void>(prepare_directories(settings_, temporary_.path() / "work", script));
    return fs::is_empty(kept) ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(ScriptBuilderTest, StopsOnRequest) {
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

TEST_F(ScriptBuilderTest, CleansUpAfterKilledBuildsWhenItStarts) {
  for (const char* slot : {"work/00", "work/07"}) {
    write(state_dir_ / slot / "tree/stale", "x");
    write(state_dir_ / (std::string(slot) + ".lock"), "");
  }
  write(settings_.exec_dir / "incoming/tandem-killed/entry/manifest.json", "{");
  const ScriptBuilder builder(settings_);
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00"));
  EXPECT_FALSE(fs::exists(state_dir_ / "work/07"));
  EXPECT_FALSE(fs::exists(settings_.exec_dir / "incoming/tandem-killed"));
}

TEST_F(ScriptBuilderTest, ThrowsWhenTheMirrorIsGone) {
  script("exit 0\n");
  commit("a", "1");
  const Commit commit = tip();
  fs::remove_all(mirror_);
  EXPECT_THROW(static_cast<void>(ScriptBuilder(settings_).build(commit, {})), Error);
}

}  // namespace
}  // namespace tandem::builders
