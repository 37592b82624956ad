#include <gtest/gtest.h>

#include "builders/identity/identity.hpp"

namespace tandem::builders {
namespace {

const std::string commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

std::string masked(std::string text, FileRange range) {
  const std::string original = text;
  for (const FileRange& one : find_commit_ids(original, range, commit)) {
    for (auto at = one.begin; at < one.end; ++at) text[at] = '*';
  }
  return text;
}

std::string masked(const std::string& text) {
  return masked(text, {0, text.size()});
}

TEST(CommitMask, FindsTheWholeIdAndItsBeginnings) {
  EXPECT_EQ(masked(commit), std::string(40, '*'));
  EXPECT_EQ(masked("v1.2-3-g1a2b3c4 built"), "v1.2-3-g******* built");
  EXPECT_EQ(masked("x 1a2b3c4d5e6f, 1a2b3c4d\n" + commit),
            "x ************, ********\n" + std::string(40, '*'));
}

TEST(CommitMask, LeavesEverythingElse) {
  const std::vector<std::string> texts = {
      "1a2b3c",   "1a2b3c5", "0" + commit,           commit + "0",     "f1a2b3c4", "A1a2b3c4",
      "1a2b3c4A", "1A2B3C4", "1a2b3c4d5e6f70819200", commit.substr(1), ""};
  for (const std::string& text : texts) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(CommitMask, LooksOnlyIntoTheRange) {
  const std::string text = "1a2b3c4 1a2b3c4d 1a2b3c4";
  EXPECT_EQ(masked(text, {8, 16}), "1a2b3c4 ******** 1a2b3c4");
  EXPECT_EQ(masked(text, {8, 15}), text) << "the word goes on behind the range";
  EXPECT_EQ(masked(text, {9, 16}), text);
}

TEST(CommitMask, KnowsNoIdOfOtherKinds) {
  EXPECT_TRUE(find_commit_ids("abcdef abcdefg", {0, 14}, "abcdef").empty());
  EXPECT_TRUE(find_commit_ids("a branch-name b", {0, 15}, "branch-name").empty());
  EXPECT_TRUE(find_commit_ids("text", {0, 4}, "").empty());
}

}  // namespace
}  // namespace tandem::builders
