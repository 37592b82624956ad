#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(Text, FindsTheFirstByteThatIsNoUtf8) {
  EXPECT_EQ(find_invalid_utf8("größe €😀"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
  for (const char* wrong : {"ab\x80", "ab\xC0\xAF", "ab\xE0\x80\x80", "ab\xED\xA0\x80", "ab\xF4\x90\x80\x80",
                            "ab\xF8", "ab\xE2\x82"}) {
    EXPECT_EQ(find_invalid_utf8(wrong), 2U) << wrong;
  }
}

TEST(Text, IsShortenedBetweenCharacters) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("größe", 3), "gr…");
  EXPECT_EQ(shortened("a\tb\x1b[0m", 100), "a b [0m");
}

TEST(Text, IsQuotedForAShellWhereItHasToBe) {
  EXPECT_EQ(quoted_for_shell("--shape=1,2/a_b.c"), "--shape=1,2/a_b.c");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(quoted_for_shell("a b"), "'a b'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell("$HOME;"), "'$HOME;'");
}

TEST(Names, LeadBothWays) {
  enum class Size { small, large };
  constexpr std::array names = {"small", "large"};
  EXPECT_STREQ(name_in(names, Size::large), "large");
  EXPECT_EQ(value_named<Size>(names, "small"), Size::small);
  EXPECT_EQ(value_named<Size>(names, "medium"), std::nullopt);
}

TEST(TemporaryDirectory, IsGoneWithAllItHolds) {
  fs::path path;
  {
    const TemporaryDirectory directory("tandem-test-");
    path = directory.path();
    EXPECT_EQ(path.parent_path(), fs::temp_directory_path());
    EXPECT_TRUE(path.filename().string().starts_with("tandem-test-"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_THROW(TemporaryDirectory("x", "/nonexistent"), HostError);
}

TEST(SearchPath, GivesTheFirstProgramOfTheName) {
  const TemporaryDirectory directory("tandem-test-");
  const auto put = [&](const std::string& place, mode_t mode) {
    fs::create_directories((directory.path() / place).parent_path());
    std::ofstream(directory.path() / place) << "#!/bin/sh\n";
    ::chmod((directory.path() / place).c_str(), mode);
  };
  put("text/tool", 0644);
  put("first/tool", 0755);
  put("second/tool", 0755);
  fs::create_directories(directory.path() / "folder/tool");
  const auto in = [&](const char* folder) { return (directory.path() / folder).string(); };
  const std::string all =
      in("none") + ":" + in("text") + "::" + in("folder") + ":" + in("first") + ":" + in("second");
  EXPECT_EQ(find_on_path("tool", all), directory.path() / "first/tool");
  EXPECT_EQ(find_on_path("tool", in("second")), directory.path() / "second/tool");
  EXPECT_EQ(find_on_path("tool", in("text") + ":"), std::nullopt);
  EXPECT_EQ(find_on_path("sh", ".:bin"), std::nullopt) << "relative folders do not count";
  EXPECT_EQ(find_on_path("", all), std::nullopt);
}

TEST(Pause, EndsWhenAStopIsRequested) {
  std::stop_source stop;
  EXPECT_TRUE(pause_unless_stopped(std::chrono::milliseconds{1}, stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(pause_unless_stopped(std::chrono::hours{1}, stop.get_token()));
}

}  // namespace
}  // namespace tandem
