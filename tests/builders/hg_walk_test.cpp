// The daemon's rounds over a Mercurial repository, through the interface that git has too.
#include <fmt/format.h>

#include "daemon/walk/poller.hpp"
#include "repository_fixture.hpp"

namespace tandem::daemon {
namespace {

class HgWalkTest : public builders::HgTest {
 protected:
  std::vector<std::string> commit_numbers(int from, int to) {
    std::vector<std::string> ids;
    for (int i = from; i <= to; ++i) ids.push_back(commit("file", fmt::format("{}\n", i)));
    return ids;
  }
  struct Planned {
    std::vector<std::string> todo;
    std::string notice;
  };
  Planned round(const std::string& start, const std::set<std::string>& done, const WalkPolicy& policy = {}) {
    const std::string tip = fetched(upstream_).id;
    const auto repository = builders::open_repository(mirror_);
    const Round round = plan_round(*repository, tip, start, done, policy, 1'800'000'000);
    Planned planned{{}, round.notice};
    for (const std::size_t at : round.todo) planned.todo.push_back(round.line.commits.at(at).id);
    return planned;
  }
};

TEST_F(HgWalkTest, GoesFromTheStartToTheTip) {
  const auto ids = commit_numbers(0, 4);
  EXPECT_EQ(round(ids[1], {}).todo, (std::vector{ids[1], ids[2], ids[3], ids[4]}));
  EXPECT_TRUE(round(ids[0], {ids.begin(), ids.end()}).todo.empty());
  const auto more = commit_numbers(5, 6);
  EXPECT_EQ(round(ids[0], {ids.begin(), ids.end()}).todo, more);
}

TEST_F(HgWalkTest, BeginsWhereItIsTold) {
  const auto ids = commit_numbers(0, 4);
  const std::string tip = fetched(upstream_).id;
  const auto repository = builders::open_repository(mirror_);
  EXPECT_EQ(first_commit(*repository, tip, {ids[2].substr(0, 12), 1, 50}), ids[2]);
  EXPECT_EQ(first_commit(*repository, tip, {{}, 1, 2}), ids[3]);
}

TEST_F(HgWalkTest, GoesOnWhereARewrittenBranchParts) {
  const auto ids = commit_numbers(0, 3);
  EXPECT_EQ(round(ids[3], {}).todo, std::vector{ids[3]});
  hg({"--config", "extensions.strip=", "strip", "--no-backup", ids[2]});
  const auto fresh = commit_numbers(7, 8);
  const auto planned = round(ids[3], {ids[3]});
  EXPECT_EQ(planned.todo, (std::vector{ids[1], fresh[0], fresh[1]}));
  EXPECT_NE(planned.notice.find("rewritten"), std::string::npos);
}

}  // namespace
}  // namespace tandem::daemon
