#include <algorithm>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class FailedCommit : public World {
 protected:
  /// Good, bad, good again: `bad` is committed as a file that the build script looks for.
  void three_commits(const std::string& bad) {
    first_ = commit(net_, "Add the net");
    bad_ = commit_file(bad, "", "Break the build");
    fs::remove(repo_ / bad);
    net_.unused = "int spare(void) { return 1; }\n";
    last_ = commit(net_, "Mend the build");
  }

  [[nodiscard]] std::vector<std::string> stored(const std::string& what) const {
    return ask(state_dir_ / "tandem.db", what);
  }
  /// The outcomes of a commit, without repetition.
  [[nodiscard]] std::vector<std::string> outcomes(const std::string& commit) const {
    return stored("SELECT DISTINCT outcome FROM verdict WHERE commit_hash = '" + commit +
                  "' ORDER BY outcome");
  }
  void expect_measured(const std::string& commit) const {
    const auto found = outcomes(commit);
    EXPECT_FALSE(found.empty());
    EXPECT_EQ(std::count(found.begin(), found.end(), "failed"), 0);
    EXPECT_EQ(std::count(found.begin(), found.end(), "missing"), 0);
    EXPECT_EQ(stored("SELECT count(*) FROM done WHERE commit_hash = '" + commit + "'"),
              std::vector<std::string>{"1"});
  }
  void expect_failed_build(const std::string& kind, const std::string& part) const {
    const auto failed = status().failed_builds;
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].commit, bad_);
    EXPECT_EQ(failed[0].kind, kind);
    EXPECT_NE(failed[0].sentence.find(part), std::string::npos) << failed[0].sentence;
    EXPECT_EQ(stored("SELECT commit_hash, kind FROM build WHERE succeeded = 0"),
              std::vector<std::string>{bad_ + "|" + kind});
    EXPECT_TRUE(outcomes(bad_).empty());
  }

  Net net_;
  std::string first_;
  std::string bad_;
  std::string last_;
};

TEST_F(FailedCommit, WhoseBuildScriptExitsWith7AfterLeavingAFileIsAFailedBuildAndTheNextIsMeasured) {
  write_build_script("cc -O2 -o \"$2\" \"$1/net.c\"\ntest ! -e \"$1/seven\" || exit 7\n");
  three_commits("seven");
  const auto finished = tandem(once_flags());
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  expect_failed_build("source", "exited with status 7");
  expect_measured(last_);
  for (const std::string& file : files_below(exec_dir_)) {
    EXPECT_EQ(file.find(bad_), std::string::npos) << "the failed build was kept: " << file;
  }

  const std::string log = fingerprint(state_dir_ / "logs");
  const auto again = tandem(once_flags());
  EXPECT_EQ(describe(again), describe(finished)) << again.errors;
  expect_failed_build("source", "exited with status 7");
  EXPECT_EQ(fingerprint(state_dir_ / "logs"), log) << "it was built again";
}

TEST_F(FailedCommit, WhoseBuildHangsIsAFailedBuildAfterItsTimeAndTheNextIsMeasured) {
  write_build_script("test ! -e \"$1/hang\" || sleep 602\ncc -O2 -o \"$2\" \"$1/net.c\"\n");
  three_commits("hang");
  const auto finished = tandem(once_flags({"--build_timeout", "2"}));
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  expect_failed_build("timed_out", "did not end before its deadline");
  expect_measured(last_);
  EXPECT_EQ(finished.left_behind, 0U);
}

TEST_F(FailedCommit, AtTheTipGivesExitCode4) {
  write_build_script("test ! -e \"$1/seven\" || exit 7\ncc -O2 -o \"$2\" \"$1/net.c\"\n");
  commit(net_, "Add the net");
  bad_ = commit_file("seven", "", "Break the build");
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 4");
  expect_failed_build("source", "exited with status 7");
  EXPECT_EQ(describe(tandem(once_flags())), "exited with status 4");
  expect_failed_build("source", "exited with status 7");
}

TEST_F(FailedCommit, WhoseProgramCrashesIsAFailedVerdictAndTheNextIsMeasured) {
  commit(net_, "Add the net");
  Net crashing = net_;
  crashing.at_start = "abort();";
  bad_ = commit(crashing, "Crash at the start");
  net_.unused = "int spare(void) { return 1; }\n";
  last_ = commit(net_, "Do not crash");
  const auto finished = tandem(once_flags());
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  const auto verdicts = status().verdicts;
  EXPECT_TRUE(std::any_of(verdicts.begin(), verdicts.end(), [&](const auto& one) {
    return one.commit == bad_ && one.outcome == "treatment_fails";
  }));
  const auto found = outcomes(bad_);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(std::count(found.begin(), found.end(), "treatment_fails"),
            static_cast<std::ptrdiff_t>(found.size()));
  expect_measured(last_);
}

TEST_F(FailedCommit, WhoseProgramPrintsNothingReadableIsAFailedVerdictAndTheNextIsMeasured) {
  commit(net_, "Add the net");
  Net garbled = net_;
  garbled.at_start = "puts(\"PyTorchObserver {\\\"type\\\": \\\"Conv\\\", \");";
  bad_ = commit(garbled, "Print half an object");
  net_.unused = "int spare(void) { return 1; }\n";
  last_ = commit(net_, "Print whole objects");
  const auto finished = tandem(once_flags());
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  const auto found = outcomes(bad_);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(std::count(found.begin(), found.end(), "treatment_fails"),
            static_cast<std::ptrdiff_t>(found.size()));
  expect_measured(last_);
}

}  // namespace
}  // namespace tandem::tests
