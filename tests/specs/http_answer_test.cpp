#include <gtest/gtest.h>

#include "specs/files/transfer.hpp"

namespace tandem::specs {
namespace {

HttpAnswer answer_of(std::initializer_list<std::string_view> lines) {
  HttpAnswer answer;
  for (const std::string_view line : lines) answer.add_line(line);
  return answer;
}

TEST(HttpAnswer, HasTheStatusOfEveryVersion) {
  EXPECT_EQ(answer_of({"HTTP/1.1 206 Partial Content\r\n"}).status(), 206);
  EXPECT_EQ(answer_of({"HTTP/2 404 \r\n"}).status(), 404);
  EXPECT_EQ(answer_of({"HTTP/1.0 nonsense\r\n"}).status(), 0);
  EXPECT_EQ(answer_of({"HTTP/1.0\r\n"}).status(), 0);
}

TEST(HttpAnswer, ForgetsWhatAnEarlierAnswerSaid) {
  const auto answer =
      answer_of({"HTTP/1.1 200 Connection established\r\n", "ETag: \"proxy\"\r\n", "HTTP/1.1 206 \r\n"});
  EXPECT_EQ(answer.status(), 206);
  EXPECT_EQ(answer.validator(), "");
}

TEST(HttpAnswer, NamesTheVersionByAStrongETagBeforeADate) {
  EXPECT_EQ(
      answer_of({"HTTP/1.1 200 OK", "etag:  \"abc\" \r\n", "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"})
          .validator(),
      "\"abc\"");
  EXPECT_EQ(
      answer_of({"ETag: W/\"abc\"\r\n", "LAST-MODIFIED: Mon, 01 Jan 2024 00:00:00 GMT\r\n"}).validator(),
      "Mon, 01 Jan 2024 00:00:00 GMT");
  EXPECT_EQ(answer_of({"ETag: W/\"abc\"\r\n"}).validator(), "");
}

TEST(HttpAnswer, DoesNotKeepAVersionThatNoLineCouldHold) {
  EXPECT_EQ(answer_of({"ETag: \"a\rb\"\r\n"}).validator(), "");
  EXPECT_EQ(answer_of({"ETag: \"" + std::string(2000, 'x') + "\"\r\n"}).validator(), "");
}

TEST(HttpAnswer, ReadsTheRangeItBrings) {
  const auto answer = answer_of({"Content-Range: bytes 100-999/1000\r\n"});
  EXPECT_EQ(answer.first(), 100u);
  EXPECT_EQ(answer.total(), 1000u);
  EXPECT_EQ(answer_of({"Content-Range: bytes 5-9/*"}).first(), 5u);
  EXPECT_EQ(answer_of({"Content-Range: bytes 5-9/*"}).total(), std::nullopt);
}

TEST(HttpAnswer, TakesARangeThatCannotBeReadAsNone) {
  for (const char* range : {"bytes */1000", "bytes -5/10", "bytes x-5/10", "lines 1-5/10", "bytes 1", "",
                            "bytes 1-5", "bytes 99999999999999999999999-1/2", "/-", "bytes /-"}) {
    EXPECT_EQ(answer_of({std::string("Content-Range: ") + range}).first(), std::nullopt) << range;
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
