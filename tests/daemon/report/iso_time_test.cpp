#include <gtest/gtest.h>

#include <limits>

#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

TEST(IsoTime, WritesKnownTimes) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(iso_time(1'709'251'199), "2024-02-29T23:59:59Z");
  EXPECT_EQ(iso_time(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(iso_time(-62'167'219'200), "0000-01-01T00:00:00Z");
  EXPECT_EQ(readable_time(1'709'251'199), "2024-02-29 23:59 UTC");
}

TEST(IsoTime, WritesTheSecondsOfATimeThatNoCalendarYearHolds) {
  EXPECT_EQ(iso_time(253'402'300'800), "@253402300800");
  EXPECT_EQ(iso_time(-62'167'219'201), "@-62167219201");
  EXPECT_EQ(readable_time(253'402'300'800), "@253402300800");
}

TEST(IsoTime, ReadsBackWhatItWrote) {
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{951'782'400}, std::int64_t{1'704'705'120},
        std::int64_t{253'402'300'799}, std::int64_t{253'402'300'800},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(seconds_from_iso(iso_time(time)), time);
  }
}

TEST(IsoTime, RefusesAnythingElse) {
  for (const char* text : {"", "@", "@12", "@1x", "2024-02-30T00:00:00Z", "2024-01-01T24:00:00Z",
                           "2024-01-01T00:00:60Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00+",
                           "2024-1-01T00:00:00ZZ", "-024-01-01T00:00:00Z", "2024-01-01T00:00:00Z "}) {
    EXPECT_EQ(seconds_from_iso(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tandem::daemon::report
