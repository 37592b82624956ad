#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

using Paths = std::vector<std::string>;

class HgFactsTest : public HgTest {
 protected:
  CommitFacts facts(const std::string& id) const {
    hg({"bookmark", "--force", "--rev", id, "looked-at"});
    fetched(upstream_, "looked-at");
    return open_repository(mirror_)->facts(id);
  }
};

TEST_F(HgFactsTest, NamesTheFilesAndCountsTheLinesOfAChange) {
  const std::string root = commit("b.cpp", numbered(1, 20));
  write(upstream_ / "a.txt", "--- new\n");
  const std::string id = commit("b.cpp", numbered(2, 20) + "++ more\n");
  const CommitFacts found = facts(id);
  EXPECT_EQ(found.files, (Paths{"a.txt", "b.cpp"}));
  EXPECT_EQ(found.lines, 3U) << "two added, one removed";
  const CommitFacts first = facts(root);
  EXPECT_EQ(first.files, Paths{"b.cpp"});
  EXPECT_EQ(first.lines, 20U);
  EXPECT_NE(first.patch_id, first.reverse_patch_id);
}

TEST_F(HgFactsTest, GivesAGraftTheSamePatchId) {
  const std::string root = commit("a", numbered(1, 60));
  const std::string original = commit("a", numbered(1, 50) + "changed\n" + numbered(52, 60), "Picked");
  hg({"update", "--quiet", root});
  commit("a", "moves the lines\n" + numbered(1, 60));
  hg({"graft", "--quiet", "--tool", "internal:merge", original});
  ASSERT_EQ(hg({"parents", "--template", "{desc}"}), "Picked");
  ASSERT_NE(node(), original);
  const CommitFacts first = facts(original);
  EXPECT_NE(first.patch_id, "");
  const CommitFacts second = facts(node());
  EXPECT_EQ(second.patch_id, first.patch_id);
  EXPECT_EQ(second.reverse_patch_id, first.reverse_patch_id);
}

TEST_F(HgFactsTest, KnowsABackoutByTheReversePatchIdAndByItsMessage) {
  commit("a", "x\n" + numbered(1, 9) + "x\n" + numbered(1, 9));
  write(upstream_ / "picture", std::string("one\0", 4));
  hg({"addremove", "--quiet"});
  const std::string id = commit("a", numbered(1, 9) + "y\nx\nx\n" + numbered(1, 9));
  hg({"backout", "--quiet", "--rev", id, "--message", "Backed out changeset " + id.substr(0, 12)});
  const CommitFacts found = facts(node());
  EXPECT_EQ(found.reverts, Paths{id.substr(0, 12)});
  const CommitFacts original = facts(id);
  EXPECT_EQ(found.patch_id, original.reverse_patch_id);
  EXPECT_EQ(found.reverse_patch_id, original.patch_id);
  EXPECT_NE(found.patch_id, found.reverse_patch_id);
}

TEST_F(HgFactsTest, TellsBinaryFilesApartByTheirContentWithoutLines) {
  const std::string root = commit("picture", std::string("one\0", 4));
  const std::string two = commit("picture", std::string("two\0", 4));
  hg({"update", "--quiet", root});
  const std::string three = commit("picture", std::string("three\0", 6));
  const CommitFacts found = facts(two);
  EXPECT_EQ(found.files, Paths{"picture"});
  EXPECT_EQ(found.lines, 0U);
  EXPECT_NE(found.patch_id, facts(three).patch_id);
}

TEST_F(HgFactsTest, NamesBothSidesOfARename) {
  commit("old.cpp", numbered(1, 10));
  hg({"rename", "old.cpp", "new.cpp"});
  const std::string id = commit_all("Rename");
  hg({"backout", "--quiet", "--rev", id, "--message", "Back"});
  const CommitFacts found = facts(id);
  EXPECT_EQ(found.files, (Paths{"new.cpp", "old.cpp"}));
  EXPECT_EQ(facts(node()).patch_id, found.reverse_patch_id);
}

TEST_F(HgFactsTest, ComparesAMergeWithItsFirstParentAndGivesNoPatchId) {
  const std::string root = commit("a", "1\n");
  const std::string main = commit("c", "1\n");
  hg({"update", "--quiet", root});
  const std::string side = commit("b", "1\n2\n");
  hg({"update", "--quiet", main});
  hg({"merge", "--quiet", side});
  const CommitFacts found = facts(commit_all("Merge"));
  EXPECT_EQ(found.files, Paths{"b"});
  EXPECT_EQ(found.lines, 2U);
  EXPECT_EQ(found.patch_id, "");
  EXPECT_EQ(found.reverse_patch_id, "");
}

TEST_F(HgFactsTest, FindsNothingInAnEmptyCommit) {
  commit("a", "1\n");
  hg({"branch", "--quiet", "other"});
  const CommitFacts found = facts(commit_all("Only a branch"));
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(found.patch_id, "");
  EXPECT_EQ(found.reverse_patch_id, "");
}

TEST_F(HgFactsTest, MakesPathsPrintable) {
  const CommitFacts found = facts(commit("dir/\xFF.cpp", "1\n"));
  EXPECT_EQ(found.files, Paths{"dir/\uFFFD.cpp"});
}

TEST_F(HgFactsTest, ThrowsOnACommitThatIsNotThere) {
  const std::string id = commit("a", "1\n");
  facts(id);
  EXPECT_THROW(static_cast<void>(open_repository(mirror_)->facts(std::string(40, 'a'))), Error);
}

}  // namespace
}  // namespace tandem::builders
