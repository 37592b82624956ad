#include "builders/commit.hpp"
#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using Paths = std::vector<std::string>;

class CommitFactsTest : public GitTest {
 protected:
  CommitFacts facts(const std::string& id) {
    git({"branch", "--force", "looked-at", id});
    fetched(upstream_, "looked-at");
    return open_repository(mirror_)->facts(id);
  }

  /// git's own stable patch id.
  std::string patch_id(const std::string& id) {
    write(temporary_.path() / "patch", git({"diff-tree", "-p", id + "^", id}) + "\n");
    write_script(temporary_.path() / "patch_id",
                 "exec git patch-id --stable <" + (temporary_.path() / "patch").string() + "\n");
    runners::Command command;
    command.argv = {temporary_.path() / "patch_id"};
    command.environment = git_environment();
    const std::string output = run_command(command, {}).output;
    return output.substr(0, output.find(' '));
  }
};

TEST_F(CommitFactsTest, NamesTheFilesAndCountsTheLinesOfAChange) {
  commit("source/b.cpp", numbered(1, 20));
  write(upstream_ / "a.txt", "new\n");
  const std::string id = commit("source/b.cpp", numbered(2, 20) + "more\n");
  const CommitFacts found = facts(id);
  EXPECT_EQ(found.files, (Paths{"a.txt", "source/b.cpp"}));
  EXPECT_EQ(found.lines, 3U) << "two added, one removed";
  EXPECT_TRUE(found.reverts.empty());
}

TEST_F(CommitFactsTest, HasThePatchIdThatGitGives) {
  commit("a", numbered(1, 20));
  write(upstream_ / "b", numbered(1, 3));
  const std::string id = commit("a", numbered(1, 9) + numbered(12, 20));
  const std::string expected = patch_id(id);
  ASSERT_EQ(expected.size(), 40U);
  EXPECT_EQ(facts(id).patch_id, expected);
}

TEST_F(CommitFactsTest, GivesACherryPickTheSamePatchId) {
  const std::string root = commit("a", numbered(1, 60));
  const std::string original = commit("a", numbered(1, 50) + "changed\n" + numbered(52, 60));
  git({"checkout", "--quiet", "-b", "side", root});
  commit("a", "moves the lines\n" + numbered(1, 60));
  git({"cherry-pick", original});
  const std::string picked = git({"rev-parse", "HEAD"});
  ASSERT_NE(picked, original);
  const CommitFacts first = facts(original);
  EXPECT_EQ(first.patch_id.size(), 40U);
  EXPECT_EQ(facts(picked).patch_id, first.patch_id);
  EXPECT_EQ(facts(picked).reverse_patch_id, first.reverse_patch_id);
}

TEST_F(CommitFactsTest, KeepsThePatchIdsOverARebase) {
  const std::string root = commit("a", numbered(1, 30));
  commit("c", "below\n");
  git({"checkout", "--quiet", "-b", "side", root});
  const std::string first = commit("a", numbered(3, 30));
  const std::string second = commit("b", "b\n");
  git({"rebase", "--quiet", "main"});
  EXPECT_EQ(facts(git({"rev-parse", "HEAD~1"})).patch_id, facts(first).patch_id);
  EXPECT_EQ(facts(git({"rev-parse", "HEAD"})).patch_id, facts(second).patch_id);
  EXPECT_NE(facts(first).patch_id, facts(second).patch_id);
}

TEST_F(CommitFactsTest, KnowsARevertByTheReversePatchIdAndByItsMessage) {
  commit("a", "x\n" + numbered(1, 9) + "x\n" + numbered(1, 9));
  write(upstream_ / "new", "");
  const std::string id = commit("a", numbered(1, 9) + "y\nx\nx\n" + numbered(1, 9));
  git({"revert", "--no-edit", id});
  const std::string revert = git({"rev-parse", "HEAD"});
  const CommitFacts found = facts(revert);
  EXPECT_EQ(found.reverts, Paths{id});
  EXPECT_EQ(found.patch_id, facts(id).reverse_patch_id);
  EXPECT_EQ(found.reverse_patch_id, facts(id).patch_id);
  EXPECT_NE(found.patch_id, found.reverse_patch_id);
}

TEST_F(CommitFactsTest, ComparesTheRootWithNothing) {
  const std::string root = commit("a", numbered(1, 5));
  const CommitFacts found = facts(root);
  EXPECT_EQ(found.files, Paths{"a"});
  EXPECT_EQ(found.lines, 5U);
  EXPECT_FALSE(found.patch_id.empty());
  EXPECT_NE(found.patch_id, found.reverse_patch_id);
}

TEST_F(CommitFactsTest, ComparesAMergeWithItsFirstParentAndGivesNoPatchId) {
  const std::string root = commit("a", "1\n");
  git({"checkout", "--quiet", "-b", "side"});
  commit("b", "1\n2\n");
  git({"checkout", "--quiet", "main"});
  commit("c", "1\n");
  git({"merge", "--quiet", "--no-edit", "side"});
  const CommitFacts found = facts(git({"rev-parse", "HEAD"}));
  EXPECT_EQ(found.files, Paths{"b"});
  EXPECT_EQ(found.lines, 2U);
  EXPECT_EQ(found.patch_id, "");
  EXPECT_EQ(found.reverse_patch_id, "");
}

TEST_F(CommitFactsTest, FindsNothingInAnEmptyCommit) {
  commit("a", "1\n");
  const CommitFacts found = facts(commit_all("Empty"));
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(found.lines, 0U);
  EXPECT_EQ(found.patch_id, "");
  EXPECT_EQ(found.reverse_patch_id, "");
}

TEST_F(CommitFactsTest, TellsBinaryFilesApartByTheirContentWithoutLines) {
  const std::string nul(1, '\0');
  const std::string root = commit("picture", "one" + nul);
  const std::string two = commit("picture", "two" + nul + "\n\n");
  git({"checkout", "--quiet", "-b", "side", root});
  const std::string three = commit("picture", "three" + nul);
  EXPECT_EQ(facts(two).files, Paths{"picture"});
  EXPECT_EQ(facts(two).lines, 0U);
  EXPECT_NE(facts(two).patch_id, "");
  EXPECT_NE(facts(two).patch_id, facts(three).patch_id);
  git({"checkout", "--quiet", "main"});
  git({"revert", "--no-edit", two});
  EXPECT_EQ(facts(git({"rev-parse", "HEAD"})).patch_id, facts(two).reverse_patch_id);
}

TEST_F(CommitFactsTest, TellsChangesOfModeAndEmptyFilesApart) {
  const std::string root = commit("a", "1\n");
  fs::permissions(upstream_ / "a", fs::perms::owner_exec, fs::perm_options::add);
  const CommitFacts mode = facts(commit_all("Mode"));
  git({"checkout", "--quiet", "-b", "side", root});
  const CommitFacts empty = facts(commit("empty", ""));
  EXPECT_EQ(mode.files, Paths{"a"});
  EXPECT_EQ(mode.lines, 0U);
  EXPECT_NE(mode.patch_id, mode.reverse_patch_id);
  EXPECT_EQ(empty.files, Paths{"empty"});
  EXPECT_NE(empty.patch_id, mode.patch_id);
}

TEST_F(CommitFactsTest, NamesBothSidesOfARename) {
  commit("old.cpp", numbered(1, 10));
  git({"mv", "old.cpp", "new.cpp"});
  const CommitFacts found = facts(commit_all("Rename"));
  EXPECT_EQ(found.files, (Paths{"new.cpp", "old.cpp"}));
  EXPECT_NE(found.patch_id, "");
}

TEST_F(CommitFactsTest, MakesPathsPrintable) {
  const CommitFacts found = facts(commit("dir/\xFF\xFE.cpp", "1\n"));
  EXPECT_EQ(found.files, Paths{"dir/\uFFFD\uFFFD.cpp"});
  EXPECT_NE(found.patch_id, "");
}

TEST_F(CommitFactsTest, CountsALargeFileWithoutItsContent) {
  commit("a", "1\n");
  write(upstream_ / "large", std::string((2 << 20) + 1, 'x') + "\n");
  const CommitFacts found = facts(commit("a", "2\n"));
  EXPECT_EQ(found.files, (Paths{"a", "large"}));
  EXPECT_EQ(found.lines, 2U);
  EXPECT_EQ(found.patch_id, "");
  EXPECT_EQ(found.reverse_patch_id, "");
}

TEST_F(CommitFactsTest, KeepsTheFirstThousandOfManyFiles) {
  for (int i = 0; i < 1100; ++i) write(upstream_ / ("f" + std::to_string(10'000 + i)), "1\n");
  const CommitFacts found = facts(commit_all("Many"));
  ASSERT_EQ(found.files.size(), 1000U);
  EXPECT_EQ(found.files.back(), "f10999");
  EXPECT_EQ(found.lines, 1100U);
}

TEST_F(CommitFactsTest, ReadsNoContentOfAChangeOfMoreThanTwentyThousandFiles) {
  std::string tree;
  const std::string blob = (commit("a", "1\n"), git({"rev-parse", "HEAD:a"}));
  for (int i = 0; i <= 20'000; ++i) {
    tree += "100644 blob " + blob + "\tf" + std::to_string(100'000 + i) + "\n";
  }
  write(temporary_.path() / "tree", tree);
  write_script(temporary_.path() / "mktree", "exec git mktree <" + (temporary_.path() / "tree").string());
  runners::Command command;
  command.argv = {temporary_.path() / "mktree"};
  command.environment = git_environment();
  command.working_directory = upstream_;
  const std::string made = run_command(command, {}).output.substr(0, 40);
  const CommitFacts found = facts(git({"commit-tree", "-p", "HEAD", "-m", "Huge", made}));
  EXPECT_EQ(found.files.size(), 1000U);
  EXPECT_EQ(found.lines, 0U);
  EXPECT_EQ(found.patch_id, "");
}

TEST_F(CommitFactsTest, ThrowsOnADamagedFile) {
  commit("a", numbered(1, 2000));
  const std::string id = commit("a", numbered(500, 3000));
  const std::string blob = git({"rev-parse", "HEAD:a"});
  facts(id);
  damage(blob);
  EXPECT_THROW(static_cast<void>(open_repository(mirror_)->facts(id)), Error);
  EXPECT_THROW(static_cast<void>(open_repository(mirror_)->facts(std::string(40, 'a'))), Error);
}

TEST(RevertedIds, AreFoundInMessages) {
  const std::string full = "0123456789abcdef0123456789abcdef01234567";
  const std::vector<std::pair<std::string, Paths>> table{
      {"Revert \"Change\"\n\nThis reverts commit " + full + ".\n", {full}},
      {"Fix\n\nWhy.\n\nThis reverts\ncommit ABCDEF0.\nSigned-off-by: Ada", {"abcdef0"}},
      {"This reverts commit " + full + ", reversing\nchanges made to 89abcdef.", {full}},
      {"Backed out changeset 0123456789ab (bug 5) for failures", {"0123456789ab"}},
      {"Backed out 2 changesets\n\nBacked out changeset 1111111a\nBacked out changeset 2222222b",
       {"1111111a", "2222222b"}},
      {"This reverts commits 1111111a, 2222222b and 3333333c.", {"1111111a", "2222222b", "3333333c"}},
      {"This reverts commit 1111111a.\n\nThis reverts commit 1111111a.", {"1111111a"}},
      {"This reverts commit abc123.", {}},
      {"This reverts commit abcdefgh.", {}},
      {"This reverts commit.", {}},
      {"This reverts the change of 0123456789ab", {}},
      {"See " + full, {}},
      {"", {}}};
  for (const auto& [message, ids] : table) EXPECT_EQ(reverted_ids(message), ids) << message;
}

double weight(const Paths& files, std::size_t lines) {
  CommitFacts facts;
  facts.files = files;
  facts.lines = lines;
  return culprit_weight(facts);
}

TEST(CulpritWeight, IsSmallForWhatDoesNotRun) {
  const std::vector<Paths> beside{{"README.md"},
                                  {"LICENSE", "docs/conf.py", "doc/example.cpp"},
                                  {".github/workflows/build.yml", ".gitlab-ci.yml"},
                                  {"tests/sum_test.cpp", "test/data.bin"},
                                  {"source/sum_test.cpp", "python/test_sum.py"},
                                  {".clang-format", "ci/run.sh", "COPYING.LESSER"}};
  for (const Paths& files : beside) {
    EXPECT_DOUBLE_EQ(weight(files, 5000), 0.05) << files.front();
  }
}

TEST(CulpritWeight, GrowsWithTheLinesOfSources) {
  const std::vector<Paths> sources{
      {"source/sum.cpp"},       {"README.md", "sum.hpp"}, {"CMakeLists.txt"}, {"cmake/flags.cmake"},
      {"tests/benchdnn/a.cpp"}, {"testing.cpp"},          {"contest/a.cpp"},  {"data.txt"}};
  for (const Paths& files : sources) {
    EXPECT_DOUBLE_EQ(weight(files, 0), 1) << files.front();
    EXPECT_DOUBLE_EQ(weight(files, 255), 2) << files.front();
    EXPECT_DOUBLE_EQ(weight(files, 65'535), 3) << files.front();
    EXPECT_DOUBLE_EQ(weight(files, 10'000'000), 3) << files.front();
  }
}

TEST(CulpritWeight, IsOneWhereNothingIsKnown) {
  EXPECT_DOUBLE_EQ(culprit_weight({}), 1);
}

TEST(CulpritWeight, TakesAListThatWasCutOffForSources) {
  EXPECT_DOUBLE_EQ(weight(Paths(999, "a.md"), 0), 0.05);
  EXPECT_DOUBLE_EQ(weight(Paths(1000, "a.md"), 0), 1);
}

}  // namespace
}  // namespace tandem::builders
