#include <gtest/gtest.h>

#include "daemon/fake_runner.hpp"
#include "daemon/service/yielding_runners.hpp"

namespace tandem::daemon {
namespace {

using runners::RunFailure;

class WatchfulRunnerTest : public testing::Test {
 protected:
  void call_all(const std::stop_token& stop) {
    static_cast<void>(watchful_.inspect(pair_, runners::Side::control, stop));
    static_cast<void>(watchful_.look_at(pair_, "work", stop));
    static_cast<void>(watchful_.launch(pair_, {}, {}, stop));
  }

  tests::FakeRunner runner_;
  WatchfulRunner watchful_{runner_};
  runners::ProgramPair pair_;
};

TEST_F(WatchfulRunnerTest, PassesEveryCallOn) {
  call_all({});
  EXPECT_EQ(runner_.calls.size(), 3u);
}

TEST_F(WatchfulRunnerTest, LooksBeforeEveryCall) {
  std::vector<std::size_t> calls_before;
  watchful_.look_with([&] { calls_before.push_back(runner_.calls.size()); });
  call_all({});
  EXPECT_EQ(calls_before, (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(WatchfulRunnerTest, MakesNoCallAfterWhatItSaw) {
  std::stop_source news;
  watchful_.look_with([&] { news.request_stop(); });
  const auto result = watchful_.launch(pair_, {}, {}, news.get_token());
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::stopped);
  EXPECT_TRUE(runner_.calls.empty());
}

TEST_F(WatchfulRunnerTest, DoesNotLookWhenItIsStoppedAlready) {
  std::stop_source stop;
  stop.request_stop();
  int looks = 0;
  watchful_.look_with([&] { ++looks; });
  call_all(stop.get_token());
  EXPECT_EQ(looks, 0);
  EXPECT_TRUE(runner_.calls.empty());
}

}  // namespace
}  // namespace tandem::daemon
