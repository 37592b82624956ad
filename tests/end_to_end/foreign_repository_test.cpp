#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class ForeignRepository : public World {
 protected:
  /// Six commits in one week; the fourth makes one operator slower. Returns that commit.
  std::string six_commits(Net net) {
    commit(net, "Add the net");
    commit_file("README.md", "A net.\n", "Say what it is");
    net.unused = "int unused(int x) { return x + 1; }\n";
    commit(net, "Add a function");
    // Live tests plant what no noise hides; 8 % is the promise and takes its time.
    net.softmax_rounds = net.softmax_rounds * (long_form() ? 108 : 140) / 100;
    const std::string slower = commit(net, "Make softmax more exact");
    net.unused = "int unused(int x) { return x + 2; }\n";
    commit(net, "Change the function");
    commit_file("README.md", "A net with two operators.\n", "Say more");
    return slower;
  }

  void finds_the_commit_and_adds_nothing_in_a_second_run(const Net& net) {
    const std::string slower = six_commits(net);
    const std::string clone = fingerprint(repo_);

    const auto first = tandem(once_flags());
    EXPECT_EQ(describe(first), "exited with status 1") << first.errors;
    const auto reported = tandem({"report", "--json", "--state_dir", state_dir_});
    const auto found = read_reports(reported.output);
    ASSERT_EQ(found.size(), 1U) << reported.output;
    EXPECT_EQ(found[0].kind, "regression");
    EXPECT_EQ(found[0].state, "open");
    EXPECT_EQ(found[0].culprit, slower);
    EXPECT_NE(found[0].benchmark.find("Softmax"), std::string::npos) << found[0].benchmark;
    EXPECT_GT(found[0].ratio, 1.0);
    const auto directory = state_dir_ / "reports" / found[0].id;
    EXPECT_EQ(read_file(directory / "report.json"),
              tandem({"report", found[0].id, "--json", "--state_dir", state_dir_}).output);
    EXPECT_NE(read_file(directory / "report.md").find(slower.substr(0, 8)), std::string::npos);
    const auto all = confirmed(reports());
    const auto files = files_below(state_dir_);
    const auto kept = fingerprint(exec_dir_) + fingerprint(state_dir_ / "logs");

    const auto second = tandem(once_flags());
    EXPECT_EQ(describe(second), "exited with status 1") << second.errors;
    EXPECT_EQ(confirmed(reports()), all);
    EXPECT_EQ(files_below(state_dir_), files);
    EXPECT_EQ(fingerprint(exec_dir_) + fingerprint(state_dir_ / "logs"), kept) << "something was built again";
    EXPECT_EQ(tandem({"report", "--json", "--state_dir", state_dir_}).output, reported.output);
    EXPECT_EQ(fingerprint(repo_), clone) << "the user's clone was touched";
    EXPECT_TRUE(processes_of(root_).empty());
    EXPECT_TRUE(files_below(scratch_).empty()) << files_below(scratch_).front();
  }
};

TEST_F(ForeignRepository, ThatPrintsObserverLinesHasItsSlowerCommitNamedOnce) {
  finds_the_commit_and_adds_nothing_in_a_second_run({});
}

TEST_F(ForeignRepository, ThatPrintsTheOldFormHasItsSlowerCommitNamedOnce) {
  Net net;
  net.observer = Net::Observer::caffe2;
  finds_the_commit_and_adds_nothing_in_a_second_run(net);
}

TEST_F(ForeignRepository, IsMeasuredButNeverConfirmedWithoutRegression) {
  Net net;
  commit(net, "Add the net");
  net.conv_rounds *= 2;
  const std::string slower = commit(net, "Make conv more exact");
  auto flags = once_flags();
  std::erase(flags, "--regression");
  const auto finished = tandem(flags);
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  EXPECT_TRUE(reports().empty());
  EXPECT_EQ(
      ask(state_dir_ / "tandem.db",
          "SELECT outcome FROM verdict WHERE benchmark LIKE '%Conv%' AND commit_hash = '" + slower + "'"),
      std::vector<std::string>{"slower"});
}

}  // namespace
}  // namespace tandem::tests
