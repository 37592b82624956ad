#include <stdlib.h>

#include <map>
#include <random>
#include <set>

#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

class HistoryTest : public GitTest {
 protected:
  /// A commit with these parents and this committer time, without a work tree.
  std::string commit_at(std::int64_t time, const std::vector<std::string>& parents,
                        const std::string& zone = "+0000") {
    if (tree_.empty()) {
      commit("a", "1");
      tree_ = git({"rev-parse", "HEAD^{tree}"});
    }
    std::string text = "tree " + tree_ + "\n";
    for (const std::string& parent : parents) text += "parent " + parent + "\n";
    text += "author Ada <ada@example.org> " + std::to_string(time - 5) + " " + zone + "\n";
    text += "committer Charles <charles@example.org> " + std::to_string(time) + " " + zone + "\n\nAt " +
            std::to_string(++number_) + "\n";
    return raw_commit(text);
  }

  std::string raw_commit(const std::string& text) {
    write(temporary_.path() / "raw", text);
    return git({"hash-object", "-t", "commit", "-w", "--literally", temporary_.path() / "raw"});
  }

  std::unique_ptr<Repository> mirrored(const std::string& tip) {
    git({"update-ref", "refs/heads/main", tip});
    fetched(upstream_);
    return open_repository(mirror_);
  }

  std::string tree_;
  int number_ = 0;
};

TEST_F(HistoryTest, ListsAllCommitsParentsFirstAndOlderOnesBefore) {
  const std::string root = commit_at(1000, {});
  const std::string left = commit_at(2000, {root});
  const std::string right = commit_at(1500, {root});
  const std::string right2 = commit_at(3000, {right});
  const std::string merge = commit_at(2500, {left, right2});
  const auto repository = mirrored(merge);
  EXPECT_EQ(ids(repository->all_commits(merge)), (std::vector{root, right, left, right2, merge}));
  EXPECT_EQ(ids(repository->all_commits(merge, left)), (std::vector{right, right2, merge}));
  EXPECT_EQ(ids(repository->all_commits(merge, root)), (std::vector{right, left, right2, merge}));
  EXPECT_TRUE(repository->all_commits(left, merge).empty());
  EXPECT_EQ(ids(*repository->first_parents(merge)), (std::vector{root, left, merge}));
}

TEST_F(HistoryTest, KeepsParentsFirstWhateverTheClocksSay) {
  std::mt19937 random(7);
  std::vector<std::string> made{commit_at(5000, {})};
  std::map<std::string, std::set<std::string>> parents;
  for (int i = 0; i < 120; ++i) {
    std::set<std::string> chosen{made.back()};
    if (i % 3 == 0) chosen.insert(made[random() % made.size()]);
    const std::string id =
        commit_at(1000 + static_cast<std::int64_t>(random() % 9000), {chosen.begin(), chosen.end()});
    parents[id] = chosen;
    made.push_back(id);
  }
  const auto repository = mirrored(made.back());
  const auto all = ids(repository->all_commits(made.back()));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), std::set<std::string>(made.begin(), made.end()));
  std::set<std::string> seen;
  for (const std::string& id : all) {
    for (const std::string& parent : parents[id]) EXPECT_TRUE(seen.contains(parent)) << id;
    EXPECT_TRUE(seen.insert(id).second) << "twice";
  }
}

TEST_F(HistoryTest, ReadsTimesAndOrderAlikeInEveryTimeZone) {
  // Around the end of a week, with clocks that go backwards and zones on both sides of the date line.
  const std::string root = commit_at(1'699'833'601, {}, "+1400");
  const std::string second = commit_at(1'699'833'599, {root}, "-1100");
  const std::string third = commit_at(1'699'833'600, {second}, "+0545");
  const auto repository = mirrored(third);
  for (const char* zone : {"UTC", "Asia/Tokyo", "America/Los_Angeles"}) {
    ::setenv("TZ", zone, 1);
    ::tzset();
    const auto line = repository->first_parents(third).value();
    EXPECT_EQ(ids(line), (std::vector{root, second, third})) << zone;
    EXPECT_EQ(ids(repository->all_commits(third)), ids(line)) << zone;
    EXPECT_EQ(line[0].committer_time, 1'699'833'601) << zone;
    EXPECT_EQ(line[0].author_time, 1'699'833'596) << zone;
    EXPECT_EQ(line[1].committer_time, 1'699'833'599) << zone;
  }
  ::unsetenv("TZ");
  ::tzset();
}

TEST_F(HistoryTest, ReadsCommitsThatNobodyShouldWrite) {
  commit_at(1, {});
  const std::string head = "tree " + tree_ + "\n";
  const std::string plain = raw_commit(head + "author A <a> 1 +0000\ncommitter C <c> 2 +0000\n\nx\n");
  const std::string odd =
      raw_commit(head + "parent " + plain +
                 "\nauthor  No Address \ncommitter <> 99999999999999999999 +0000\n"
                 "gpgsig -----BEGIN\n author Liar <l> 3 +0000\n -----END\n\n\n  \nFirst\n line \n\nbody");
  const std::string tip = commit_at(10, {odd});
  const auto repository = mirrored(tip);
  const auto line = repository->first_parents(tip).value();
  ASSERT_EQ(line.size(), 3U);
  EXPECT_EQ(line[1].author_name, "No Address");
  EXPECT_EQ(line[1].author_email, "");
  EXPECT_EQ(line[1].author_time, 0);
  EXPECT_EQ(line[1].committer_time, 0);
  EXPECT_EQ(line[1].subject, "First line");
}

TEST_F(HistoryTest, SaysWhichCommitIsDamaged) {
  const std::string root = commit("a", "1");
  const std::string last = commit("a", "2");
  fetched(upstream_);
  damage(root);
  try {
    static_cast<void>(open_repository(mirror_)->first_parents(last));
    FAIL() << "the walk went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(root), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tandem::builders
