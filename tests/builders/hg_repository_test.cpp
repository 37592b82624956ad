#include <fmt/format.h>
#include <stdlib.h>

#include "builders/hg/mirror.hpp"
#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using HgRepositoryTest = HgTest;

TEST_F(HgRepositoryTest, ReadsACommitWithAllItsFields) {
  const std::string root = commit("a", "1", "First\n\nThe body is not part of the subject.");
  const std::string second = commit("a", "2", "Zweiter Stand: größer");
  fetched(upstream_);
  const auto opened = open_repository(mirror_);
  const auto found = opened->find(second);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, second);
  EXPECT_EQ(found->first_parent, root);
  EXPECT_EQ(found->tree, hg({"log", "--rev", second, "--template", "{manifest.node}"}));
  EXPECT_EQ(found->subject, "Zweiter Stand: größer");
  EXPECT_EQ(found->author_name, "Ada");
  EXPECT_EQ(found->author_email, "ada@example.org");
  EXPECT_EQ(found->author_time, 1'700'001'200) << "UTC, whatever zone the author wrote";
  EXPECT_EQ(found->committer_time, 1'700'001'200);
  EXPECT_EQ(opened->find(root)->subject, "First");
  EXPECT_EQ(opened->find(root)->first_parent, "");
}

TEST_F(HgRepositoryTest, GivesTheSameTimesInEveryTimeZone) {
  commit("a", "1");
  const char* before = ::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* zone : {"America/New_York", "Pacific/Kiritimati"}) {
    ::setenv("TZ", zone, 1);
    fs::remove_all(mirror_);
    fetched(upstream_);
    EXPECT_EQ(open_repository(mirror_)->find("default")->committer_time, 1'700'000'600) << zone;
  }
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
}

TEST_F(HgRepositoryTest, WalksFirstParentsOldestFirstOverMerges) {
  const std::string root = commit("a", "1");
  const std::string second = commit("a", "2");
  hg({"update", "--quiet", root});
  const std::string side = commit("b", "1");
  hg({"update", "--quiet", second});
  hg({"merge", "--quiet", side});
  const std::string merge = commit_all("Merge");
  const std::string last = commit("a", "3");
  fetched(upstream_);

  const auto opened = open_repository(mirror_);
  const Repository& repository = *opened;
  EXPECT_EQ(ids(*repository.first_parents(last)), (std::vector{root, second, merge, last}));
  EXPECT_EQ(ids(*repository.first_parents(last, second)), (std::vector{merge, last}));
  EXPECT_TRUE(repository.first_parents(last, last)->empty());
  EXPECT_FALSE(repository.first_parents(last, side)) << "a side branch is not on the first-parent line";
  EXPECT_FALSE(repository.first_parents(last, std::string(40, 'a')));

  EXPECT_EQ(ids(repository.all_commits(last)), (std::vector{root, second, side, merge, last}));
  EXPECT_EQ(ids(repository.all_commits(last, second)), (std::vector{side, merge, last}));
  EXPECT_EQ(repository.first_parent_distance(second, last), 2U);
  EXPECT_EQ(repository.first_parent_distance(last, last), 0U);
  EXPECT_FALSE(repository.first_parent_distance(side, last));
  EXPECT_FALSE(repository.first_parent_distance(last, second));
  EXPECT_TRUE(repository.is_strict_ancestor(side, last));
  EXPECT_TRUE(repository.is_strict_ancestor(root, last));
  EXPECT_FALSE(repository.is_strict_ancestor(last, last));
  EXPECT_FALSE(repository.is_strict_ancestor(last, root));
  EXPECT_EQ(repository.merge_base(side, second), root);
  EXPECT_TRUE(repository.submodule_ids(last).empty());
}

TEST_F(HgRepositoryTest, FindsCommitsByBranchTagAndBeginningOfTheHash) {
  const std::string root = commit("a", "1");
  hg({"tag", "--date", "1700000700 0", "v1.0"});
  const std::string last = commit("a", "2");
  fetched(upstream_);
  const auto opened = open_repository(mirror_);
  const Repository& repository = *opened;
  EXPECT_EQ(repository.find("default")->id, last);
  EXPECT_EQ(repository.find("v1.0")->id, root);
  EXPECT_EQ(repository.find(last.substr(0, 12))->id, last);
  EXPECT_EQ(repository.tip("default"), last);
  EXPECT_EQ(repository.tags(), (std::map<std::string, std::string>{{"v1.0", root}}));
  for (const char* unknown : {"nothing", "0000000000", "abc", "", "a..b", "zzzzzzzz", "tip", "-1", "all()"}) {
    EXPECT_FALSE(repository.find(unknown)) << unknown;
  }
  EXPECT_FALSE(repository.find(repository.find(root)->tree)) << "a manifest is not a commit";
  EXPECT_FALSE(repository.tip("other"));
}

TEST_F(HgRepositoryTest, RefusesABeginningThatFitsSeveralCommits) {
  const auto line = [](const std::string& id) {
    const std::string none(40, '0');
    return fmt::format("{} {} {} {} 1700000000 0{}", id, none, none, none, std::string("\0A\0\0s\n", 6));
  };
  commit("a", "1");
  fetched(upstream_);
  write(mirror_ / ".hg/tandem/commits",
        line("abcd" + std::string(36, '1')) + line("abcd" + std::string(36, '2')));
  EXPECT_THROW(static_cast<void>(open_repository(mirror_)->find("abcd")), InputError);
  EXPECT_EQ(open_repository(mirror_)->find("abcd1")->id, "abcd" + std::string(36, '1'));
}

TEST_F(HgRepositoryTest, MakesHostileTextsShowable) {
  write(upstream_ / "a", "1");
  write(temporary_.path() / "message", "Bad \xFF byte and \x1b[2J escape\n");
  hg({"--encoding", "latin1", "commit", "--addremove", "--quiet", "--date", "1700000000 0", "--user",
      "no address \x1b[31m", "--logfile", (temporary_.path() / "message").string()});
  fetched(upstream_);
  const Commit found = open_repository(mirror_)->find("default").value();
  EXPECT_EQ(found.subject, "Bad ÿ byte and  [2J escape") << "hg stores UTF-8";
  EXPECT_EQ(found.author_name, "no address  [31m");
  EXPECT_EQ(found.author_email, "");
}

TEST_F(HgRepositoryTest, TellsWhichMirrorCannotBeRead) {
  commit("a", "1");
  fetched(upstream_);
  fs::remove(mirror_ / ".hg/tandem/commits");
  fs::remove(mirror_ / ".hg/store/00changelog.i");
  write(mirror_ / ".hg/store/00changelog.i", "not a history");
  try {
    static_cast<void>(open_repository(mirror_));
    FAIL() << "a damaged mirror was opened";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(mirror_.string()), std::string::npos) << error.what();
  }
}

TEST_F(HgRepositoryTest, ReadsTenThousandCommitsWithoutAProcess) {
  hg({"debugbuilddag", "+10000"});
  const std::string last = node("tip");
  fetched(upstream_);
  // With hg out of reach only what the fetch kept can answer.
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto commits = open_repository(mirror_)->first_parents(last);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(commits);
  EXPECT_EQ(commits->size(), 10'000U);
  EXPECT_EQ(commits->back().id, last);
  // Without the listing hg is asked, and says the same.
  fs::remove(mirror_ / ".hg/tandem/commits");
  EXPECT_EQ(ids(*open_repository(mirror_)->first_parents(last)), ids(*commits));
}

TEST(HgHistory, RefusesAListingThatIsNotSound) {
  const std::string none(40, '0');
  const std::string id(40, 'a');
  const std::string end = std::string(" 5 0\0A\0\0s\n", 10);
  EXPECT_EQ(hg::History("").size(), 0U);
  EXPECT_EQ(hg::History(id + " " + none + " " + none + " " + none + end).commit(0).subject, "s");
  const std::vector<std::string> bad{"\n",
                                     "x\n",
                                     id + " " + none + " " + none + " " + none + " 5 0",
                                     id + " " + none + " " + none + " " + none + " later\n",
                                     id + " " + id + " " + none + " " + none + end,
                                     id + " " + std::string(40, 'b') + " " + none + " " + none + end,
                                     id + " " + none + " " + none + " " + std::string(40, 'Z') + end};
  for (const std::string& listing : bad) {
    EXPECT_THROW(static_cast<void>(hg::History(listing)), Error) << listing;
  }
}

}  // namespace
}  // namespace tandem::builders
