#include "builders/git/gitmodules.hpp"

#include <gtest/gtest.h>

#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

TEST(GitModules, ReadsWhatGitWrites) {
  const auto modules = read_gitmodules(
      "# third party\n"
      "[submodule \"third/eigen\"]\n\tpath = third/eigen\n\turl = https://example.org/eigen.git\n"
      "\tbranch = master\n"
      "[Submodule \"with \\\"quotes\\\"\"]\n path = \"a # b\" ; kept\n URL=../sibling # dropped\n"
      "[core]\n\tpath = not/ours\n");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].path, "third/eigen");
  EXPECT_EQ(modules[0].url, "https://example.org/eigen.git");
  EXPECT_EQ(modules[1].path, "a # b");
  EXPECT_EQ(modules[1].url, "../sibling");
}

TEST(GitModules, TakesTheLastValueAndJoinsSectionsOfOneName) {
  const auto modules = read_gitmodules(
      "[submodule \"m\"]\npath = old\nurl = u\n[submodule \"n\"]\npath = n\n[submodule \"m\"]\npath = "
      "new/\n");
  ASSERT_EQ(modules.size(), 1U) << "n has no url";
  EXPECT_EQ(modules[0].path, "new");
}

TEST(GitModules, LeavesOutPathsThatLeaveTheTree) {
  for (const char* path : {"..", "../x", "/etc", "a/../b", "a//b", ".", "a/./b", ""}) {
    EXPECT_TRUE(read_gitmodules(std::string("[submodule \"m\"]\npath = ") + path + "\nurl = u\n").empty())
        << path;
  }
}

TEST(GitModules, EndsOnAnyText) {
  std::string long_value(2'000'000, 'x');
  for (const std::string& text :
       {std::string("["), std::string("[submodule \""), std::string("[submodule \"m\\"),
        std::string("a = \\"), std::string("a = \"\\\n"), std::string("\0\0[", 3),
        "[submodule \"m\"]\npath = " + long_value}) {
    EXPECT_TRUE(read_gitmodules(text).empty());
  }
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    many += "[submodule \"" + std::to_string(i) + "\"]\npath=p" + std::to_string(i) + "\nurl=u\n";
  }
  EXPECT_EQ(read_gitmodules(many).size(), 1000U);
}

TEST(GitModules, ResolvesRelativeUrlsAsGitDoes) {
  struct Row {
    const char* parent;
    const char* written;
    const char* url;
  };
  for (const Row& row : {
           Row{"https://example.org/org/main.git", "../lib.git", "https://example.org/org/lib.git"},
           Row{"https://example.org/org/main", "../../other/lib", "https://example.org/other/lib"},
           Row{"https://example.org/org/main/", "./lib", "https://example.org/org/main/lib"},
           Row{"git@example.org:org/main.git", "../lib.git", "git@example.org:org/lib.git"},
           Row{"git@example.org:org/main.git", "../../lib.git", "git@example.org:lib.git"},
           Row{"https://u:p@example.org/a/b", "../c", "https://u:p@example.org/a/c"},
           Row{"/srv/git/main", "../lib", "/srv/git/lib"},
           Row{"file:///srv/main", "../lib", "file:///srv/lib"},
           Row{"https://example.org/a", "ssh://git@elsewhere/b", "ssh://git@elsewhere/b"},
           Row{"/srv/main", "/srv/lib", "/srv/lib"},
       }) {
    EXPECT_EQ(submodule_url(row.parent, row.written), row.url) << row.parent << " " << row.written;
  }
}

TEST(GitModules, RefusesUrlsThatReachFurtherThanTheParent) {
  for (const char* url : {"/etc/secrets", "file:///etc/secrets", "ext::sh -c id", "rsync://h/x", "lib",
                          "-u=x", "../../../../x", "https://h/\x01x", "fd::7"}) {
    EXPECT_THROW(static_cast<void>(submodule_url("https://example.org/a/b", url)), InputError) << url;
  }
}

TEST(GitModules, ComparesHostsForCredentials) {
  EXPECT_TRUE(is_same_host("https://u:p@Example.org/a", "https://example.org/b"));
  EXPECT_TRUE(is_same_host("git@example.org:a", "ssh://other@example.org/b"));
  EXPECT_FALSE(is_same_host("https://example.org/a", "http://example.org/a")) << "a token in clear text";
  EXPECT_FALSE(is_same_host("https://example.org/a", "https://example.org:8443/a"));
  EXPECT_FALSE(is_same_host("https://example.org/a", "https://example.org.evil.net/a"));
  EXPECT_FALSE(is_same_host("https://example.org/a", "https://example.org@evil.net/a"));
  EXPECT_FALSE(is_same_host("/srv/a", "/srv/b"));
}

}  // namespace
}  // namespace tandem::builders
