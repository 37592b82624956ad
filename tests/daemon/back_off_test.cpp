#include <gtest/gtest.h>

#include "specs/foundation/waiting.hpp"

namespace tandem::daemon {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(BackOff, DoublesWithEveryFailureUpToAnHour) {
  EXPECT_EQ(back_off(0, Seconds{60}, 1), Seconds{0});
  EXPECT_EQ(back_off(1, Seconds{60}, 1), Seconds{60});
  EXPECT_EQ(back_off(2, Seconds{60}, 1), Seconds{120});
  EXPECT_EQ(back_off(5, Seconds{60}, 1), Seconds{960});
  EXPECT_EQ(back_off(7, Seconds{60}, 1), Seconds{3600});
  EXPECT_EQ(back_off(1'000'000, Seconds{60}, 1), Seconds{3600});
}

TEST(BackOff, IsShortenedByChanceToHalfAtMost) {
  EXPECT_EQ(back_off(3, Seconds{10}, 0), Seconds{20});
  EXPECT_EQ(back_off(3, Seconds{10}, 0.5), Seconds{30});
}

TEST(BackOff, NeverAsksAgainAtOnce) {
  EXPECT_EQ(back_off(1, Seconds{0}, 0), Seconds{0.5});
}

}  // namespace
}  // namespace tandem::daemon
