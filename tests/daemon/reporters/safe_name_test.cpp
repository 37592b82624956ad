#include <gtest/gtest.h>

#include <set>

#include "daemon/harness/result_files.hpp"

namespace tandem::daemon::harness {
namespace {

TEST(SafeName, LeavesPlainNamesAsTheyAre) {
  for (const char* name : {"squeezenet-1.1", "a", "ID_0_Conv", "c++", "0123abcd"})
    EXPECT_EQ(safe_name(name), name);
}

TEST(SafeName, SpellsOthersAsFaiPepDoesWithADigest) {
  EXPECT_TRUE(safe_name("my net").starts_with("my-net~")) << safe_name("my net");
  EXPECT_TRUE(safe_name("a/b:c\\d*e").starts_with("a-b-c-de~")) << safe_name("a/b:c\\d*e");
  EXPECT_EQ(safe_name("my net").size(), std::string("my-net~").size() + 12);
}

TEST(SafeName, NeverLeavesItsDirectoryAndNeverHides) {
  const std::string nul("a\0b", 3);
  for (const std::string& text :
       {std::string(""), std::string("."), std::string(".."), std::string("../../etc"), std::string("/"),
        std::string(".hidden"), std::string("-rf"), std::string("\n"), std::string("é"), nul,
        std::string(5000, 'x'), std::string(5000, '/')}) {
    const std::string name = safe_name(text);
    EXPECT_FALSE(name.empty());
    EXPECT_LE(name.size(), 160u);
    EXPECT_NE(name.front(), '.') << name;
    EXPECT_NE(name.front(), '-') << name;
    EXPECT_EQ(name.find('/'), std::string::npos) << name;
    EXPECT_EQ(name.find('\0'), std::string::npos);
  }
}

TEST(SafeName, IsAnotherForEveryText) {
  std::set<std::string> names;
  const std::vector<std::string> texts = {"",         "a b",           "a-b", "a/b", "a:b", "a\\b",
                                          "ab",       "a*b",           "_",   "-",   ".",   "unnamed",
                                          "unnamed~", safe_name("a b")};
  for (const std::string& text : texts) EXPECT_TRUE(names.insert(safe_name(text)).second) << text;
}

TEST(SafeName, OfAKeyIsWhatFaiPepWrites) {
  EXPECT_EQ(safe_key_name("NET", "latency"), "NET-latency");
  EXPECT_EQ(safe_key_name("ID_0_Conv-2d", "flops"), "ID_0_Conv-2d-flops");
}

TEST(SafeName, OfAKeyIsAnotherForEveryKeyAndNeverMeta) {
  std::set<std::string> names = {"meta"};
  const std::vector<std::pair<std::string, std::string>> keys = {{"a", "b-c"}, {"a-b", "c"}, {"a/b", "c"},
                                                                 {"a:b", "c"}, {"meta", ""}, {"", "meta"},
                                                                 {"", ""},     {"..", ".."}};
  for (const auto& [type, metric] : keys) {
    const std::string name = safe_key_name(type, metric);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_NE(name.front(), '.');
  }
}

}  // namespace
}  // namespace tandem::daemon::harness
