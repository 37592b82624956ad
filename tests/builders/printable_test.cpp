#include <gtest/gtest.h>

#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

TEST(Printable, KeepsValidTextAndReplacesTheRest) {
  EXPECT_EQ(printable("naïve €", 100), "naïve €");
  EXPECT_EQ(printable("caf\xE9!", 100), "caf\xEF\xBF\xBD!");
  EXPECT_EQ(printable("\xC0\xAF", 100), "\xEF\xBF\xBD\xEF\xBF\xBD") << "an overlong form is not valid";
  EXPECT_EQ(printable("\xED\xA0\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "nor is a surrogate";
  EXPECT_EQ(printable("\xE2\x82", 100), "\xEF\xBF\xBD\xEF\xBF\xBD") << "nor a sequence that is cut";
}

TEST(Printable, TurnsControlCharactersIntoSpaces) {
  EXPECT_EQ(printable("a\x1b[31mb\nc", 100), "a [31mb c");
  EXPECT_EQ(printable("a\tb\nc", 100, Lines::many), "a b\nc");
}

TEST(Printable, LeavesNoControlCharacterOfC1) {
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31mb\xC2\x85"
                      "c",
                      100),
            "a 31mb c")
      << "U+009B begins a sequence as ESC [ does";
  EXPECT_EQ(printable("a\x9B"
                      "31m",
                      100),
            "a\xEF\xBF\xBD"
            "31m")
      << "the byte alone is no UTF-8";
  EXPECT_EQ(printable("a\x7F\xE2\x80\xA8"
                      "b",
                      100),
            "a  b")
      << "DEL and the line separator";
}

TEST(Printable, ShowsWhereACharacterReordersOrHidesOthers) {
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "evil",
                      100),
            "\xEF\xBF\xBD"
            "evil")
      << "U+202E, right-to-left override";
  EXPECT_EQ(printable("a\xE2\x81\xA6"
                      "b\xE2\x80\x8B",
                      100),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(printable("a\xF3\xA0\x80\xA1", 100), "a\xEF\xBF\xBD") << "a tag character";
  EXPECT_EQ(printable("\xE2\x80\xA6\xE2\x80\x93", 100), "…–") << "neighbours in the same block stay";
}

TEST(Printable, EscapesInJsonWhatATerminalWouldObey) {
  EXPECT_EQ(tandem::escaped_json("{\"a\": \"\xC2\x9B"
                                 "1m\x7F\xE2\x80\xAE€\"}\n"),
            "{\"a\": \"\\u009b1m\\u007f\\u202e€\"}\n");
  EXPECT_EQ(tandem::escaped_json("\"\xF3\xA0\x80\xA1\""), "\"\\udb40\\udc21\"");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("ab€", 4), "ab");
  EXPECT_EQ(printable("ab€", 5), "ab€");
}

}  // namespace
}  // namespace tandem::builders
