#include <gtest/gtest.h>

#include "specs/benchmark/placeholders.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

// The expected words are what Python's shlex.split gives for the same text.
TEST(SplitWords, FollowsShlex) {
  const std::pair<const char*, Words> cases[] = {
      {"", {}},
      {"  \t\r\n ", {}},
      {"a b  c", {"a", "b", "c"}},
      {"a 'b c' d", {"a", "b c", "d"}},
      {"a \"b c\" d", {"a", "b c", "d"}},
      {"--shape=\"1,224 3\"", {"--shape=1,224 3"}},
      {"a'b'\"c\"d", {"abcd"}},
      {"'' \"\"", {"", ""}},
      {"a\\ b c", {"a b", "c"}},
      {"'a\\b'", {"a\\b"}},
      {"\"a\\b \\\" \\\\ \\$\"", {"a\\b \" \\ \\$"}},
      {"a\\\nb", {"a\nb"}},
      {"# no comment", {"#", "no", "comment"}},
      {"a | b && c > $HOME", {"a", "|", "b", "&&", "c", ">", "$HOME"}},
      {"\"it's\"", {"it's"}},
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(split_words(text), words) << text;
}

TEST(SplitWords, RefusesAnOpenQuoteAndALastBackslash) {
  EXPECT_EQ(message_of([] { (void)split_words("a 'b"); }),
            "a quotation opened with ' is not closed; close it or write \\'");
  EXPECT_EQ(message_of([] { (void)split_words("a \"b\\\""); }),
            "a quotation opened with \" is not closed; close it or write \\\"");
  EXPECT_EQ(message_of([] { (void)split_words("a \\"); }),
            "the last backslash escapes nothing; remove or double it");
}

TEST(NextPlaceholder, FindsOnlyNamesInBraces) {
  const auto name = [](const char* text) {
    const auto found = next_placeholder(text);
    return found ? found->name : "none";
  };
  EXPECT_EQ(name("x {a.b_1|c} y"), "a.b_1|c");
  EXPECT_EQ(name("{}"), "none");
  EXPECT_EQ(name("{a b}"), "none");
  EXPECT_EQ(name("{\"k\": 1}"), "none");
  EXPECT_EQ(name("{{a}"), "a");
  EXPECT_EQ(name("{a"), "none");
  EXPECT_EQ(name("{größe}"), "größe");
}

}  // namespace
}  // namespace tandem::specs
