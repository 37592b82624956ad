#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

using RemoteClone = World;

TEST_F(RemoteClone, IsLeftAloneWhileTheBranchOfItsRemoteIsFollowed) {
  Net net;
  const std::string old_tip = commit(net, "Add the net");
  const fs::path clone = root_ / "clone";
  git({"clone", "--quiet", repo_, clone}, root_);
  net.unused = "int spare(void) { return 1; }\n";
  const std::string new_tip = commit(net, "Only the origin has this");
  const std::string untouched = fingerprint(clone);

  const auto finished = tandem(once_flags({"--repo_dir", clone}));
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  EXPECT_EQ(ask(state_dir_ / "tandem.db", "SELECT commit_hash FROM done ORDER BY position"),
            (std::vector{old_tip, new_tip}));
  EXPECT_EQ(status().url, repo_.string());
  EXPECT_EQ(fingerprint(clone), untouched);
  EXPECT_EQ(git({"rev-parse", "main"}, clone), old_tip);
}

}  // namespace
}  // namespace tandem::tests
