#include "runners/measuring_lock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

class MeasuringLockTest : public testing::Test {
 protected:
  MeasuringLockTest() { ::setenv("TANDEM_LOCK_FILE", (directory_.path() / "lock").c_str(), 1); }
  ~MeasuringLockTest() override { ::unsetenv("TANDEM_LOCK_FILE"); }
  tests::TemporaryDirectory directory_;
};

TEST_F(MeasuringLockTest, LetsOneMeasureAtATimeAndSaysWhoDoes) {
  auto first = std::make_unique<MeasuringLock>(nullptr);
  ASSERT_TRUE(first->held());
  std::string told;
  std::jthread second([&] {
    const MeasuringLock lock([&](const std::string& holder) {
      told = holder;
      first.reset();
    });
    EXPECT_TRUE(lock.held());
  });
  second.join();
  EXPECT_EQ(told, "process " + std::to_string(::getpid()));
}

TEST_F(MeasuringLockTest, GivesUpWaitingWhenStopped) {
  const MeasuringLock first(nullptr);
  std::stop_source source;
  const MeasuringLock second([&](const std::string&) { source.request_stop(); }, source.get_token());
  EXPECT_FALSE(second.held());
}

}  // namespace
}  // namespace tandem::runners
