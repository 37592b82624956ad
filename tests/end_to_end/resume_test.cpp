#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class Resume : public World {
 protected:
  [[nodiscard]] std::vector<std::string> done() const {
    return ask(state_dir_ / "tandem.db", "SELECT commit_hash FROM done ORDER BY position");
  }
};

TEST_F(Resume, BeginsWithTheCommitInTheCommitFileWhenTheStateIsNew) {
  Net net;
  std::vector<std::string> commits;
  for (int i = 0; i < 4; ++i) {
    commits.push_back(commit(net, "Commit " + std::to_string(i)));
    net.unused += "int spare" + std::to_string(i) + "(void) { return 1; }\n";
  }
  const fs::path file = root_ / "last_commit";
  EXPECT_TRUE(is_quiet(tandem(once_flags({"--commit_file", file, "--commit", commits[1]}))));
  EXPECT_EQ(read_file(file), commits[3] + "\n");
  EXPECT_EQ(done(), (std::vector{commits[1], commits[2], commits[3]}));

  const std::string next = commit(net, "The next one");
  state_dir_ = root_ / "new_state";
  EXPECT_TRUE(is_quiet(tandem(once_flags({"--commit_file", file}))));
  EXPECT_EQ(done(), (std::vector{commits[3], next}));
  EXPECT_EQ(read_file(file), next + "\n");
}

TEST_F(Resume, FindsTheCulpritAmongCommitsThatItSteppedOver) {
  Net net;
  std::vector<std::string> commits;
  for (int i = 0; i < 7; ++i) {
    if (i == 5) net.conv_rounds = net.conv_rounds * 14 / 10;
    net.unused += "int spare" + std::to_string(i) + "(void) { return 1; }\n";
    commits.push_back(commit(net, "Commit " + std::to_string(i)));
  }
  const auto finished = tandem(once_flags({"--step", "3"}));
  EXPECT_EQ(describe(finished), "exited with status 1") << finished.errors;
  EXPECT_EQ(done(), (std::vector{commits[0], commits[3], commits[6]}));
  const auto found = read_reports(tandem({"report", "--json", "--state_dir", state_dir_}).output);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].culprit, commits[5]);
  EXPECT_EQ(found[0].kind, "regression");
}

}  // namespace
}  // namespace tandem::tests
