#include <gtest/gtest.h>

#include "specs/files/download.hpp"

namespace tandem::specs {
namespace {

constexpr const char* new_year = "Mon, 01 Jan 2024 00:00:00 GMT";

TEST(HttpAnswer, NamesTheVersionByAStrongETagBeforeADate) {
  EXPECT_EQ(validator_of("\"abc\"", new_year), "\"abc\"");
  EXPECT_EQ(validator_of("W/\"abc\"", new_year), new_year);
  EXPECT_EQ(validator_of("W/\"abc\"", ""), "");
}

TEST(HttpAnswer, DoesNotKeepAVersionThatNoLineCouldHold) {
  EXPECT_EQ(validator_of("\"a\rb\"", ""), "");
  EXPECT_EQ(validator_of("\"" + std::string(2000, 'x') + "\"", ""), "");
}

TEST(HttpAnswer, ReadsTheRangeItBrings) {
  const auto range = content_range_of("bytes 100-999/1000");
  EXPECT_EQ(range.first, 100u);
  EXPECT_EQ(range.total, 1000u);
  EXPECT_EQ(content_range_of("bytes 5-9/*").first, 5u);
  EXPECT_EQ(content_range_of("bytes 5-9/*").total, std::nullopt);
}

TEST(HttpAnswer, TakesARangeThatCannotBeReadAsNone) {
  for (const char* range : {"bytes */1000", "bytes -5/10", "bytes x-5/10", "lines 1-5/10", "bytes 1", "",
                            "bytes 1-5", "bytes 99999999999999999999999-1/2", "/-", "bytes /-"}) {
    EXPECT_EQ(content_range_of(range).first, std::nullopt) << range;
  }
}

TEST(HttpAnswer, IsFollowedTriedAgainOrFinal) {
  for (const int status : {301, 302, 303, 307, 308}) EXPECT_EQ(after_answer(status), AfterAnswer::redirect);
  for (const int status : {408, 425, 429, 500, 502, 503, 504})
    EXPECT_EQ(after_answer(status), AfterAnswer::try_again);
  for (const int status : {0, 204, 300, 304, 400, 401, 403, 404, 410}) {
    EXPECT_EQ(after_answer(status), AfterAnswer::give_up);
  }
  EXPECT_EQ(after_answer(416), AfterAnswer::begin_anew);
}

}  // namespace
}  // namespace tandem::specs
