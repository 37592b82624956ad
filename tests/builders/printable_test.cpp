#include "builders/printable.hpp"

#include <gtest/gtest.h>

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

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("ab€", 4), "ab");
  EXPECT_EQ(printable("ab€", 5), "ab€");
}

}  // namespace
}  // namespace tandem::builders
