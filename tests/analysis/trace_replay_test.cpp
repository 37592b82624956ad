#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "analysis/screen.hpp"
#include "tests/analysis/recorded_launches.hpp"
#include "tests/analysis/simulation.hpp"

// Recorded launches of equal builds, replayed: blocks of launches in a random order, each launch's sides
// exchanged or not by a fresh coin, as the runner does it.

namespace tandem::analysis {
namespace {

using runners::Launch;
using runners::Side;

/// `slowdown` multiplies the treatment's times.
std::vector<LaunchStatistics> statistics_of(std::vector<Launch> launches, double slowdown = 1.0) {
  std::vector<LaunchStatistics> all;
  for (Launch& launch : launches) {
    for (double& value : launch.treatment) value *= slowdown;
    all.push_back(launch_statistics(launch).value());
  }
  return all;
}

enum class Coin { fair, none };

/// Blocks of four successive launches keep the correlation between neighbours.
std::function<NextLaunch()> resampled(Noise& noise, const std::vector<LaunchStatistics>& recorded, Coin coin,
                                      double effect = 0.0) {
  return [&noise, &recorded, coin, effect]() -> NextLaunch {
    return [&noise, &recorded, coin, effect, position = std::size_t{0}, left = std::size_t{0}]() mutable {
      if (left == 0) {
        left = 4;
        position = noise.below(recorded.size());
      }
      const LaunchStatistics& launch = recorded[position++ % recorded.size()];
      --left;
      // The statistics are exactly antisymmetric, so exchanging the sides of a launch is changing their sign.
      const double sign = coin == Coin::fair ? noise.coin() : 1.0;
      return LaunchStatistics{sign * launch.median + effect, sign * launch.total + effect};
    };
  };
}

ScreenSettings calibrated_on(const std::vector<LaunchStatistics>& recorded) {
  std::vector<double> medians, totals;
  for (const auto& launch : recorded) {
    medians.push_back(launch.median);
    totals.push_back(launch.total);
  }
  return {.prior_sigma = *robust_deviation(medians), .prior_sigma_total = *robust_deviation(totals)};
}

class TraceReplay : public testing::TestWithParam<const char*> {
 protected:
  std::vector<LaunchStatistics> recorded_ = statistics_of(recorded(GetParam()));
};

TEST_P(TraceReplay, IsThere) {
  EXPECT_GE(recorded_.size(), 24U);
}

TEST_P(TraceReplay, WithTheCoinEqualBuildsAreHardlyEverSuspected) {
  Noise noise(201);
  const Tally tally = run_screens(2000, calibrated_on(recorded_), resampled(noise, recorded_, Coin::fair));
  EXPECT_LE(tally.share(tally.slower + tally.faster), 0.006);
}

TEST_P(TraceReplay, FindsAMarginPlusTwiceTheNoise) {
  Noise noise(202);
  const ScreenSettings settings = calibrated_on(recorded_);
  const double effect = std::log1p(settings.margin) + 2 * settings.prior_sigma;
  const Tally tally = run_screens(500, settings, resampled(noise, recorded_, Coin::fair, effect));
  EXPECT_GE(tally.share(tally.slower), 0.95);
}

INSTANTIATE_TEST_SUITE_P(Recorded, TraceReplay,
                         testing::Values("gemm64.alternate", "sort10k.alternate", "hash100k.alternate",
                                         "stream64mb.alternate"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('.'));
                         });

// The ablation: this host favoured one slot, and only the coin keeps that from becoming a finding.
TEST(TraceReplayAblation, WithoutTheCoinABiasedSlotMakesSuspectsOfEqualBuilds) {
  const auto seen = statistics_of(recorded("stream64mb.alternate"));
  const ScreenSettings settings = calibrated_on(seen);
  Noise noise(203);
  const Tally without = run_screens(1000, settings, resampled(noise, seen, Coin::none));
  const Tally with = run_screens(1000, settings, resampled(noise, seen, Coin::fair));
  EXPECT_GE(without.share(without.slower + without.faster), 0.10);
  EXPECT_LE(with.share(with.slower + with.faster), 0.006);
  std::printf("suspects among equal builds: %.1f %% without the coin, %.1f %% with it\n",
              100 * without.share(without.slower + without.faster),
              100 * with.share(with.slower + with.faster));
}

TEST(TraceReplaySlowdown, ScalesTheStatisticsByTheFactor) {
  const auto launches = recorded("gemm64.alternate");
  const auto plain = statistics_of(launches);
  const auto slowed = statistics_of(launches, 1.05);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(slowed[i].median - plain[i].median, std::log(1.05), 1e-12);
    EXPECT_NEAR(slowed[i].total - plain[i].total, std::log(1.05), 1e-12);
  }
}

}  // namespace
}  // namespace tandem::analysis
