#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "analysis/screen.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

void expect_same(const RatioInterval& one, const RatioInterval& other) {
  EXPECT_EQ(one.estimate, other.estimate);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
  EXPECT_EQ(one.level, other.level);
}

void expect_same(const Verdict& one, const Verdict& other) {
  EXPECT_EQ(one.outcome, other.outcome);
  EXPECT_EQ(one.sigma, other.sigma);
  EXPECT_EQ(one.launches, other.launches);
  EXPECT_EQ(one.failed_launches, other.failed_launches);
  EXPECT_EQ(one.median.slower, other.median.slower);
  EXPECT_EQ(one.median.faster, other.median.faster);
  EXPECT_EQ(one.total.not_slower, other.total.not_slower);
  EXPECT_EQ(one.total.not_faster, other.total.not_faster);
  expect_same(one.median_ratio, other.median_ratio);
  expect_same(one.total_ratio, other.total_ratio);
}

TEST(ScreenHistory, ContinuedFromItsHistoryIsWhatAnUninterruptedOneWouldBe) {
  Noise noise(35);
  std::vector<std::optional<LaunchStatistics>> launches;
  for (int i = 0; i < 200; ++i) {
    launches.emplace_back(LaunchStatistics{0.03 * noise.heavy(), 0.03 * noise.heavy()});
    if (i % 40 == 20) launches.back() = std::nullopt;
  }
  const ScreenSettings small{.prior_sigma = 0.03, .prior_sigma_total = 0.04, .max_launches = 40};
  ScreenSettings large = small;
  large.max_launches = 200;

  Screen first(small);
  std::size_t made = 0;
  while (!first.outcome()) first.advance(launches[made++]);
  ASSERT_EQ(first.outcome(), Outcome::inconclusive);

  ScreenHistory stored = first.history();
  stored.settings.max_launches = large.max_launches;
  Screen continued(stored);
  EXPECT_EQ(continued.outcome(), std::nullopt);
  Screen straight(large);
  for (std::size_t i = 0; i < made; ++i) straight.advance(launches[i]);
  for (; !straight.outcome(); ++made) {
    EXPECT_EQ(straight.advance(launches[made]), continued.advance(launches[made]));
  }
  EXPECT_GT(made, 40U);
  expect_same(straight.verdict(), continued.verdict());
}

TEST(ScreenHistory, KeepsEveryLaunchAsItWasGiven) {
  Screen screen(ScreenSettings{});
  screen.advance(LaunchStatistics{0.01, 0.02});
  screen.advance(std::nullopt);
  ASSERT_EQ(screen.history().launches.size(), 2U);
  EXPECT_EQ(screen.history().launches[0], (LaunchStatistics{0.01, 0.02}));
  EXPECT_EQ(screen.history().launches[1], std::nullopt);
}

TEST(ScreenHistory, AFailedScreenGoesOnUnderALargerCap) {
  Screen screen(ScreenSettings{});
  for (int i = 0; i < 4; ++i) screen.advance(std::nullopt);
  ASSERT_EQ(screen.outcome(), Outcome::failed);
  ScreenHistory stored = screen.history();
  stored.settings.max_launches = 132;
  EXPECT_EQ(Screen(stored).outcome(), std::nullopt);
}

TEST(ScreenHistory, ReplaysToTheVerdictThatWasGiven) {
  Screen screen(ScreenSettings{});
  while (!screen.outcome()) screen.advance(LaunchStatistics{0.03, 0.02});
  ASSERT_EQ(screen.outcome(), Outcome::slower);
  expect_same(Screen(screen.history()).verdict(), screen.verdict());
}

// Prints the cost; the budget is 2 µs a launch and 1 ms a verdict. Nothing is asserted about time.
TEST(ScreenHistory, PrintsWhatItCosts) {
  Noise noise(36);
  std::vector<LaunchStatistics> launches;
  for (int i = 0; i < 66; ++i) launches.push_back({0.05 * noise.normal(), 0.05 * noise.normal()});
  const auto start = std::chrono::steady_clock::now();
  double verdicts_ns = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    Screen screen({.prior_sigma = 0.05, .max_launches = 66});
    for (const auto& launch : launches) {
      if (screen.advance(launch)) break;
    }
    const auto judged = std::chrono::steady_clock::now();
    EXPECT_EQ(screen.verdict().launches, 66U);
    verdicts_ns +=
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - judged).count();
  }
  const double all_ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  std::printf("screen: %.0f ns per launch at 66 launches, %.0f ns per verdict\n",
              (all_ns - verdicts_ns) / (66 * rounds), verdicts_ns / rounds);
}

}  // namespace
}  // namespace tandem::analysis
