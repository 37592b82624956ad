// A history with commits that each break something else: the walk reaches the tip past every one of them.
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
  sparse) truncate -s 8T "$out/huge" ;;
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
  [[nodiscard]] std::vector<std::string> stored(const std::string& what) const {
    return ask(state_dir_ / "tandem.db", what);
  }
  [[nodiscard]] std::vector<std::string> kind_of(const std::string& commit) const {
    return stored("SELECT kind FROM build WHERE succeeded = 0 AND commit_hash = '" + commit + "'");
  }

  Net net_;
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
  EXPECT_EQ(kind_of(bad[1]), std::vector<std::string>{"not_a_program"});
  EXPECT_EQ(kind_of(bad[3]).size(), 1U);
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

TEST_F(PoisonCommits, WithADeadSubmoduleServerWaitIsTriedAgainAndIsGivenUpInTheEnd) {
  commit(net_, "Add the net");
  const std::string bad = with_dead_submodule();
  const std::string last = sound(1);
  const auto finished = tandem(once_flags());
  EXPECT_EQ(describe(finished), "exited with status 4") << finished.errors;
  EXPECT_FALSE(stored("SELECT 1 FROM verdict WHERE commit_hash = '" + last + "'").empty());
  EXPECT_EQ(stored("SELECT commit_hash, kind, tries FROM waiting_commit"),
            std::vector<std::string>{bad + "|fetch|1"});
  EXPECT_TRUE(stored("SELECT 1 FROM done WHERE commit_hash = '" + bad + "'").empty());
  const auto shown = tandem({"status", "--state_dir", state_dir_, "--json"});
  EXPECT_NE(shown.output.find("waiting_commits"), std::string::npos);
  EXPECT_NE(shown.output.find(bad), std::string::npos);

  for (int i = 0; i < 5; ++i) static_cast<void>(tandem(once_flags()));
  EXPECT_TRUE(stored("SELECT 1 FROM waiting_commit").empty());
  EXPECT_EQ(kind_of(bad), std::vector<std::string>{"fetch"});
  EXPECT_TRUE(is_quiet(tandem(once_flags())));
}

}  // namespace
}  // namespace tandem::tests
