#include <gtest/gtest.h>

#include "specs/foundation/text.hpp"

namespace tandem::specs {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("iter", ""), 4U);
  EXPECT_EQ(edit_distance("iter", "iter"), 0U);
  EXPECT_EQ(edit_distance("itre", "iter"), 1U) << "a swap of neighbours is one edit";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U) << "no part is edited twice";
}

TEST(Nearest, NamesAWordOnlyIfItIsClose) {
  EXPECT_EQ(nearest("metirc", {"iter", "metric"}), "metric");
  EXPECT_EQ(nearest("banana", {"iter", "metric"}), std::nullopt);
  EXPECT_EQ(nearest("xyz", {"abc"}), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Nearest, CutsQuotedTextAtACharacter) {
  std::string text(59, 'a');
  text += "éé";
  EXPECT_EQ(in_quotes(text), "\"" + std::string(59, 'a') + "…\"");
  EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
}

}  // namespace
}  // namespace tandem::specs
