// A history with commits that each break something else: the walk reaches the tip past every one of them.
#include <unistd.h>

#include <algorithm>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class PoisonCommits : public World {
 protected:
  PoisonCommits() {
    write_build_script(R"sh(cc -O2 -o "$2" "$1/net.c"
out="$(dirname "$2")"
case "$(cat "$1/poison" 2>/dev/null)" in
  unreadable) echo secret > "$out/secret"; chmod 000 "$out/secret" ;;
  fifo) mkfifo "$out/pipe" ;;
  dangling) ln -s /nowhere/at/all "$out/link" ;;
  sparse) truncate -s 60G "$out/one"; truncate -s 60G "$out/other" ;;
  hang) sleep 600 ;;
  gone) rm -rf "$2" ;;
esac
)sh");
  }

  std::string poison(const std::string& kind) { return commit_file("poison", kind, "Break it: " + kind); }
  std::string sound(int number) {
    fs::remove(repo_ / "poison");
    net_.unused = "int spare" + std::to_string(number) + "(void) { return 1; }\n";
    return commit(net_, "Sound again " + std::to_string(number));
  }
  /// A commit with a submodule whose server does not answer; the next one has none.
  std::string with_dead_submodule() {
    fs::create_directories(repo_ / "sub");
    git({"update-index", "--add", "--cacheinfo", "160000," + git({"rev-parse", "HEAD"}) + ",sub"});
    const std::string bad =
        commit_file(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = http://127.0.0.1:1/sub.git\n",
                    "Add a submodule");
    git({"rm", "--quiet", "--cached", "sub"});
    fs::remove_all(repo_ / "sub");
    fs::remove(repo_ / ".gitmodules");
    return bad;
  }
  /// A commit with a submodule beside the repository, where there is none.
  std::string with_missing_submodule(const std::string& of_library) {
    git({"update-index", "--add", "--cacheinfo", "160000," + of_library + ",sub"});
    fs::create_directories(repo_ / "sub");
    return commit_file(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../library\n",
                       "Add a submodule");
  }
  [[nodiscard]] std::vector<std::string> stored(const std::string& what) const {
    return ask(state_dir_ / "tandem.db", what);
  }
  [[nodiscard]] std::vector<std::string> kind_of(const std::string& commit) const {
    return stored("SELECT kind FROM build WHERE succeeded = 0 AND commit_hash = '" + commit + "'");
  }

  Net net_;
  fs::path state_file_ = root_ / "resume";
};

TEST_F(PoisonCommits, AreEachAValueAndTheWalkReachesTheTip) {
  std::vector<std::string> good = {commit(net_, "Add the net")};
  std::vector<std::string> bad;
  int number = 0;
  for (const char* kind : {"unreadable", "fifo", "dangling", "sparse", "hang", "gone"}) {
    bad.push_back(poison(kind));
    if (++number % 3 == 0) good.push_back(sound(number));
  }
  Net crashing = net_;
  crashing.at_start = "abort();";
  const std::string crashes = commit(crashing, "Crash at the start");
  good.push_back(sound(++number));

  const auto finished = tandem(once_flags({"--build_timeout", "5"}));
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  for (const std::string& commit : good) {
    EXPECT_FALSE(stored("SELECT 1 FROM verdict WHERE commit_hash = '" + commit + "'").empty()) << commit;
  }
  // Root reads everything; what an ordinary user's daemon makes of it, Builder's tests say.
  if (::geteuid() != 0) {
    EXPECT_EQ(kind_of(bad[0]), std::vector<std::string>{"not_a_program"});
  }
  EXPECT_EQ(kind_of(bad[1]), std::vector<std::string>{"not_a_program"});
  EXPECT_EQ(kind_of(bad[3]), std::vector<std::string>{"disk_limit"});
  EXPECT_NE(
      stored("SELECT sentence FROM build WHERE commit_hash = '" + bad[3] + "'").at(0).find("its output has"),
      std::string::npos);
  EXPECT_EQ(kind_of(bad[4]), std::vector<std::string>{"timed_out"});
  EXPECT_EQ(kind_of(bad[5]), std::vector<std::string>{"not_a_program"});
  EXPECT_EQ(stored("SELECT DISTINCT outcome FROM verdict WHERE commit_hash = '" + crashes + "'"),
            std::vector<std::string>{"treatment_fails"});
  for (const std::string& commit : bad) {
    EXPECT_EQ(stored("SELECT count(*) FROM done WHERE commit_hash = '" + commit + "'"),
              std::vector<std::string>{"1"});
  }
  const auto failed = status().failed_builds;
  for (const std::string& commit : {bad[1], bad[3], bad[4], bad[5]}) {
    EXPECT_TRUE(
        std::any_of(failed.begin(), failed.end(), [&](const auto& one) { return one.commit == commit; }));
  }
}

TEST_F(PoisonCommits, WithADeadSubmoduleServerWaitHoweverOftenAPersonTries) {
  commit(net_, "Add the net");
  const std::string bad = with_dead_submodule();
  const std::string last = sound(1);
  const auto finished = tandem(once_flags());
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  EXPECT_FALSE(stored("SELECT 1 FROM verdict WHERE commit_hash = '" + last + "'").empty());
  const std::vector<std::string> waits = {bad + "|fetch|1"};
  EXPECT_EQ(stored("SELECT commit_hash, kind, tries FROM waiting_commit"), waits);
  EXPECT_TRUE(stored("SELECT 1 FROM done WHERE commit_hash = '" + bad + "'").empty());
  const auto shown = tandem({"status", "--state_dir", state_dir_, "--json"});
  EXPECT_NE(shown.output.find("waiting_commits"), std::string::npos);
  EXPECT_NE(shown.output.find(bad), std::string::npos);

  // With this interval none of them is due.
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(is_quiet(tandem(once_flags({"--interval", "86400"}))));
  EXPECT_LE(stored("SELECT tries FROM waiting_commit").at(0), "2");
  EXPECT_TRUE(kind_of(bad).empty());
}

TEST_F(PoisonCommits, AreExaminedWhenTheServerOfTheirSubmoduleIsBack) {
  const fs::path library = root_ / "away";
  fs::create_directories(library);
  git({"init", "--quiet", "--initial-branch=main"}, library);
  git({"commit", "--quiet", "--allow-empty", "-m", "Library"}, library);
  const std::string first = commit(net_, "Add the net");
  write_file(state_file_, first);
  const std::string bad = with_missing_submodule(git({"rev-parse", "HEAD"}, library));
  const auto flags = once_flags({"--commit_file", state_file_});
  EXPECT_EQ(describe(tandem(flags)), "exited with status 4") << "the tip could not be built";
  EXPECT_EQ(stored("SELECT commit_hash, kind FROM waiting_commit"), std::vector<std::string>{bad + "|fetch"});

  git({"rm", "--quiet", "--cached", "sub"});
  fs::remove_all(repo_ / "sub");
  fs::remove(repo_ / ".gitmodules");
  const std::string last = sound(1);
  EXPECT_TRUE(is_quiet(tandem(flags)));
  EXPECT_EQ(read_file(state_file_), last + "\n");

  fs::rename(library, root_ / "library");
  EXPECT_TRUE(is_quiet(tandem(flags)));
  EXPECT_TRUE(stored("SELECT 1 FROM waiting_commit").empty());
  EXPECT_FALSE(stored("SELECT 1 FROM verdict WHERE commit_hash = '" + bad + "'").empty());
  EXPECT_EQ(read_file(state_file_), last + "\n") << "the resume file went back";
}

}  // namespace
}  // namespace tandem::tests
