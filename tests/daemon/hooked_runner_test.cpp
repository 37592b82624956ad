#include "runners/pairing/hooked_runner.hpp"

#include <gtest/gtest.h>

#include "daemon/fake_runner.hpp"

namespace tandem::runners {
namespace {

class HookedRunnerTest : public testing::Test {
 protected:
  void call_all(std::vector<RunnerHook> hooks, const std::stop_token& stop = {}) {
    HookedRunner hooked(runner_, std::move(hooks));
    static_cast<void>(hooked.inspect(pair_, Side::control, stop));
    static_cast<void>(hooked.look_at(pair_, "work", stop));
    static_cast<void>(hooked.launch(pair_, {}, {}, stop));
  }
  /// A hook that is told of every call and keeps nothing.
  static RunnerHook before(std::function<void()> told) {
    return {.before = [told = std::move(told)](const LaunchPlan*, const std::stop_token&) {
      told();
      return nullptr;
    }};
  }

  tests::FakeRunner runner_;
  ProgramPair pair_;
};

TEST_F(HookedRunnerTest, PassesEveryCallOn) {
  call_all({});
  EXPECT_EQ(runner_.calls.size(), 3U);
}

TEST_F(HookedRunnerTest, AsksItsHooksInOrderBeforeEveryCall) {
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  call_all({before([&] { first.push_back(runner_.calls.size()); }), before([&] {
              EXPECT_EQ(first.size(), second.size() + 1);
              second.push_back(runner_.calls.size());
            })});
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(second, first);
}

TEST_F(HookedRunnerTest, TellsLaunchesFromLooks) {
  std::vector<bool> launches;
  call_all({{.before = [&](const LaunchPlan* launch, const std::stop_token&) {
    launches.push_back(launch != nullptr);
    return nullptr;
  }}});
  EXPECT_EQ(launches, (std::vector<bool>{false, false, true}));
}

TEST_F(HookedRunnerTest, KeepsWhatAHookHoldsUntilTheCallHasEnded) {
  std::weak_ptr<int> held;
  runner_.before_call = [&] { EXPECT_FALSE(held.expired()); };
  call_all({{.before = [&](const LaunchPlan*, const std::stop_token&) {
    EXPECT_TRUE(held.expired());
    auto fresh = std::make_shared<int>();
    held = fresh;
    return fresh;
  }}});
  EXPECT_EQ(runner_.calls.size(), 3U);
  EXPECT_TRUE(held.expired());
}

TEST_F(HookedRunnerTest, ShowsWhatEveryLaunchGave) {
  std::vector<bool> gave_samples;
  const RunnerHook shown = {.after_launch = [&](const LaunchResult& result) {
    gave_samples.push_back(std::holds_alternative<std::vector<Sampled>>(result));
  }};
  call_all({shown});
  runner_.fails = [](const auto&) { return tests::crash_of(Side::treatment); };
  call_all({shown});
  EXPECT_EQ(gave_samples, (std::vector<bool>{true, false}));
}

TEST_F(HookedRunnerTest, MakesNoCallAfterAHookHasStoppedIt) {
  std::stop_source news;
  int later = 0;
  HookedRunner hooked(runner_, {before([&] { news.request_stop(); }), before([&] { ++later; })});
  const auto result = hooked.launch(pair_, {}, {}, news.get_token());
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::stopped);
  EXPECT_EQ(later, 0);
  EXPECT_TRUE(runner_.calls.empty());
}

TEST_F(HookedRunnerTest, AsksNoHookWhenItIsStoppedAlready) {
  std::stop_source stop;
  stop.request_stop();
  int asked = 0;
  call_all({before([&] { ++asked; })}, stop.get_token());
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(runner_.calls.empty());
}

}  // namespace
}  // namespace tandem::runners
