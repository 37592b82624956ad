#include <gtest/gtest.h>

#include "daemon/harness/remote_request.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::harness {
namespace {

std::string refusal(const std::string& setting) {
  try {
    static_cast<void>(read_address(setting));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RemoteAddress, IsAUrlAndACategory) {
  const auto [url, category] = read_address(" http://127.0.0.1:8080/log?x=1 | perf_results ");
  EXPECT_EQ(url, "http://127.0.0.1:8080/log?x=1");
  EXPECT_EQ(category, "perf_results");
}

TEST(RemoteAddress, MeansHttpsWhereNoSchemeStands) {
  EXPECT_EQ(read_address("results.example.org/log|perf").url, "https://results.example.org/log");
  EXPECT_EQ(read_address("httpserver.example.org|perf").url, "https://httpserver.example.org");
  EXPECT_EQ(read_address("localhost:8080|perf").url, "https://localhost:8080");
}

TEST(RemoteAddress, RefusesWhatIsNoneInASentenceThatNamesTheFlag) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"https://example.org", "has no category"},
      {"https://example.org|", "has no category"},
      {"https://example.org| \t", "has no category"},
      {"|perf", "has no URL"},
      {"https://example.org|a|b", "more than one \"|\""},
      {"ftp://example.org|perf", "\"ftp\" is neither http nor https"},
      {"https:///log|perf", "has no host"},
      {"https://:80/log|perf", "has no host"},
      {"https://exa mple.org|perf", "is not a URL"},
      {"https://example.org/\x01|perf", "is not a URL"},
  };
  for (const auto& [setting, reason] : table) {
    const std::string said = refusal(setting);
    EXPECT_TRUE(said.starts_with("--remote_reporter: ")) << setting << ": " << said;
    EXPECT_NE(said.find(reason), std::string::npos) << setting << ": " << said;
    EXPECT_NE(said.find("\"https://host/path|category\""), std::string::npos) << said;
  }
}

TEST(RemoteAddress, RefusesAPasswordWithoutShowingIt) {
  const std::string said = refusal("https://me:hunter2@example.org/log|perf");
  EXPECT_TRUE(said.starts_with("--remote_reporter: a name and password in the URL")) << said;
  EXPECT_EQ(said.find("hunter2"), std::string::npos);
}

TEST(RemoteToken, ThatCouldBreakAHeaderIsRefusedWithoutShowingIt) {
  EXPECT_NO_THROW(check_token(""));
  EXPECT_NO_THROW(check_token("abc.DEF-123=="));
  for (const char* token : {"abc\n", "a b", "tok\r\nX-Evil: 1", "t\xc3\xa9"}) {
    try {
      check_token(token);
      ADD_FAILURE() << token;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--remote_access_token: ")) << error.what();
      EXPECT_EQ(std::string(error.what()).find(token), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tandem::daemon::harness
