#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/screen.hpp"
#include "tests/analysis/simulation.hpp"

// Seeded simulations of what the screen promises. The margin is 1 %; effects and noise are given in margins.

namespace tandem::analysis {
namespace {

const double delta = std::log1p(0.01);

using Draw = double (Noise::*)();

/// Both statistics see the effect; the totals have noise of their own, half as large again.
std::function<NextLaunch()> plain(Noise& noise, Draw draw, double effect, double sigma) {
  return [=, &noise]() -> NextLaunch {
    return [=, &noise] {
      const double shared = effect * delta + sigma * delta * (noise.*draw)();
      return LaunchStatistics{shared, shared + 0.5 * sigma * delta * (noise.*draw)()};
    };
  };
}

ScreenSettings calibrated(double sigma) {
  return {.prior_sigma = sigma * delta, .prior_sigma_total = 1.2 * sigma * delta};
}

TEST(ScreenSimulation, EqualBuildsAreHardlyEverSuspected) {
  for (const Draw draw : {&Noise::normal, &Noise::heavy, &Noise::spiky}) {
    for (const double sigma : {0.3, 1.0, 3.0}) {
      Noise noise(101);
      const Tally tally = run_screens(2000, calibrated(sigma), plain(noise, draw, 0, sigma));
      EXPECT_LE(tally.slower + tally.faster, 4U) << "sigma " << sigma;
    }
  }
}

TEST(ScreenSimulation, HalfAMarginIsSuspectedNoMoreOftenThanPromised) {
  // The worst case of the hypothesis: 1 % by the medians and 0.5 % by the totals, whatever the prior scale.
  for (const double prior : {0.2, 1.0, 5.0}) {
    Noise noise(102);
    const Tally tally = run_screens(2000, calibrated(prior), plain(noise, &Noise::normal, 0.5, 1.0));
    EXPECT_LE(tally.share(tally.slower), 0.015 + 3 * std::sqrt(0.015 / 2000)) << "prior " << prior;
    EXPECT_EQ(tally.faster, 0U);
  }
}

TEST(ScreenSimulation, AMarginIsCalledUnchangedNoMoreOftenThanPromised) {
  for (const double effect : {1.0, -1.0}) {
    for (const Draw draw : {&Noise::normal, &Noise::heavy, &Noise::spiky}) {
      Noise noise(103);
      const Tally tally = run_screens(1500, calibrated(1.5), plain(noise, draw, effect, 1.5));
      EXPECT_LE(tally.share(tally.unchanged), 0.05);
    }
  }
}

enum class Coin { fair, none };

/// Equal builds on a host whose one slot is slower by one and a half margins and whose noise follows itself.
std::function<NextLaunch()> biased_slots(Noise& noise, Coin coin) {
  return [&noise, coin]() -> NextLaunch {
    return [&noise, coin, drift = Drift()]() mutable {
      const double slots = delta * (1.5 + drift.next(noise));
      const double value = coin == Coin::fair ? noise.coin() * slots : slots;
      return LaunchStatistics{value, value};
    };
  };
}

TEST(ScreenSimulation, WithTheCoinNeitherSlotBiasNorDriftMakesSuspects) {
  Noise noise(104);
  const Tally tally = run_screens(3000, calibrated(1.0), biased_slots(noise, Coin::fair));
  EXPECT_LE(tally.slower + tally.faster, 18U);
}

TEST(ScreenSimulation, WithoutTheCoinTheSameHostSuspectsMostEqualBuilds) {
  Noise noise(104);
  const Tally tally = run_screens(300, calibrated(1.0), biased_slots(noise, Coin::none));
  EXPECT_GE(tally.share(tally.slower + tally.faster), 0.5);
}

TEST(ScreenSimulation, FindsTwoMarginsWhereTheNoiseIsAMargin) {
  for (const double direction : {1.0, -1.0}) {
    Noise noise(105);
    const Tally tally = run_screens(1000, calibrated(1.0), plain(noise, &Noise::normal, 2 * direction, 1.0));
    EXPECT_GE(tally.share(direction > 0 ? tally.slower : tally.faster), 0.95);
  }
}

TEST(ScreenSimulation, FindsOneMarginWhereTheNoiseIsTwoFifthsOfIt) {
  Noise noise(106);
  const Tally tally = run_screens(1000, calibrated(0.4), plain(noise, &Noise::normal, 1, 0.4));
  EXPECT_GE(tally.share(tally.slower), 0.95);
}

TEST(ScreenSimulation, FindsTwoMarginsUncalibratedToo) {
  Noise noise(107);
  for (const double sigma : {0.1, 1.0}) {
    const Tally tally = run_screens(500, {.prior_sigma = 0.01}, plain(noise, &Noise::normal, 2, sigma));
    EXPECT_GE(tally.share(tally.slower), 0.95) << "sigma " << sigma;
  }
}

TEST(ScreenSimulation, FindsAChangeThatOnlyTheTotalsShow) {
  Noise noise(108);
  const Tally tally = run_screens(500, calibrated(1.0), [&noise]() -> NextLaunch {
    return [&noise] {
      return LaunchStatistics{0.5 * delta * noise.normal(), delta * (2.5 + noise.normal())};
    };
  });
  EXPECT_GE(tally.share(tally.slower), 0.95);
}

TEST(ScreenSimulation, NeedsAboutSixPlusElevenTimesTheSquaredNoiseForUnchanged) {
  for (const double sigma : {0.25, 0.5, 1.0}) {
    Noise noise(109);
    const auto equal = [&noise, sigma]() -> NextLaunch {
      return [&noise, sigma] {
        const double value = sigma * delta * noise.normal();
        return LaunchStatistics{value, value};
      };
    };
    const Tally tally = run_screens(1000, {.prior_sigma = sigma * delta}, equal);
    const double promised = 6 + 11 * sigma * sigma;
    EXPECT_LE(tally.mean_launches(), 1.3 * promised) << "sigma " << sigma;
    EXPECT_GE(tally.mean_launches(), 0.7 * promised) << "sigma " << sigma;
    EXPECT_GE(tally.share(tally.unchanged), 0.95) << "sigma " << sigma;
  }
}

TEST(ScreenSimulation, IntervalCoversTheTruthWheneverTheScreenStops) {
  for (const Draw draw : {&Noise::normal, &Noise::heavy, &Noise::spiky}) {
    Noise noise(110);
    std::size_t missed = 0;
    constexpr std::size_t rounds = 1000;
    for (std::size_t round = 0; round < rounds; ++round) {
      const double effect = 0.5 * static_cast<double>(round % 5);
      const Verdict verdict = run_screen(calibrated(1.0), plain(noise, draw, effect, 1.0)());
      const double truth = std::exp(effect * delta);
      if (verdict.median_ratio.low > truth || truth > verdict.median_ratio.high) ++missed;
    }
    EXPECT_LE(missed, rounds * 0.05);
  }
}

TEST(ScreenSimulation, MinimumDetectableEffectIsFoundNineTimesInTen) {
  Noise noise(111);
  const double sigma = 1.5;
  const double effect = std::log1p(minimum_detectable_effect(sigma * delta, 0.01, 66)) / delta;
  const Tally tally = run_screens(600, calibrated(sigma), plain(noise, &Noise::normal, effect, sigma));
  EXPECT_GE(tally.share(tally.slower), 0.85);
  EXPECT_LE(tally.share(tally.slower), 0.99);
}

}  // namespace
}  // namespace tandem::analysis
