#include "analysis/screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "specs/foundation/error.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

NextLaunch always(double median, double total) {
  return [=] { return LaunchStatistics{median, total}; };
}

TEST(Screen, CallsLaunchesWithoutAnyDifferenceUnchanged) {
  const Verdict verdict = run_screen({}, always(0, 0));
  EXPECT_EQ(verdict.outcome, Outcome::unchanged);
  EXPECT_EQ(verdict.sigma, 0);
  EXPECT_EQ(verdict.ratio.estimate, 1);
  EXPECT_LT(verdict.launches, 15U);
  EXPECT_GE(verdict.launches, 6U);
}

TEST(Screen, CallsADoubledTimeSlowerAfterNineLaunches) {
  const Verdict verdict = run_screen({}, always(std::log(2), std::log(2)));
  EXPECT_EQ(verdict.outcome, Outcome::slower);
  EXPECT_EQ(verdict.launches, 9U);
  EXPECT_DOUBLE_EQ(verdict.ratio.estimate, 2);
  EXPECT_GT(verdict.ratio.low, 1.005);
  EXPECT_FALSE(verdict.decided_by_total);
}

TEST(Screen, CallsHalvedTimeFaster) {
  const Verdict verdict = run_screen({}, always(-std::log(2), -std::log(2)));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_EQ(verdict.launches, 9U);
  EXPECT_LT(verdict.ratio.high, 1 / 1.005);
}

TEST(Screen, FollowsTheFormulaOfTheDesign) {
  // A screen of five launches, computed by hand from s, u, W and E.
  const double delta = std::log1p(0.02);
  const double values[] = {0.03, -0.01, 0.05, 0.02, 0.04};
  const double stakes[] = {0.1, 0.25, 0.5, 0.8, 1.0};
  Screen screen({.margin = 0.02, .prior_sigma = 0.015});
  std::vector<double> seen;
  double wealth[] = {1, 1, 1, 1, 1};
  for (const double value : values) {
    const auto made = static_cast<double>(seen.size());
    const double deviation = median_absolute_deviation(seen).value_or(0);
    const double scale = std::max(delta / 20, (4 * 0.015 + made * 1.4826 * deviation) / (4 + made));
    const double gain = std::clamp((value - delta / 2) / (2.5 * scale), -1.0, 1.0);
    double expected = 0;
    for (int k = 0; k < 5; ++k) expected += (wealth[k] *= 1 + stakes[k] * gain) / 5;
    seen.push_back(value);
    screen.advance(LaunchStatistics{value, value});
    EXPECT_DOUBLE_EQ(screen.verdict().median.slower, expected);
  }
}

TEST(Screen, AnswersTheMirroredQuestionWithTheMirroredEvidence) {
  Noise noise(31);
  Screen straight(ScreenSettings{});
  Screen mirrored(ScreenSettings{});
  for (int i = 0; i < 5; ++i) {
    const double median = 0.02 * noise.normal(), total = 0.03 * noise.normal();
    straight.advance(LaunchStatistics{median, total});
    mirrored.advance(LaunchStatistics{-median, -total});
    EXPECT_EQ(straight.verdict().median.slower, mirrored.verdict().median.faster);
    EXPECT_EQ(straight.verdict().total.not_slower, mirrored.verdict().total.not_faster);
  }
}

TEST(Screen, CallsAChangeThatOnlyTheTotalsShowSlowerByTotal) {
  const Verdict verdict = run_screen({}, always(0, 0.05));
  EXPECT_EQ(verdict.outcome, Outcome::slower);
  EXPECT_TRUE(verdict.decided_by_total);
  EXPECT_FALSE(verdict.statistics_disagree);
  EXPECT_GE(verdict.total.slower, decisive_total);
  EXPECT_NEAR(verdict.ratio.estimate, std::exp(0.05), 1e-9);
  EXPECT_NEAR(verdict.median_ratio.estimate, 1, 1e-9);
}

TEST(Screen, AsksMoreOfTheTotalsThanOfTheMedians) {
  const auto by_median = run_screen({}, always(0.05, 0));
  const auto by_total = run_screen({}, always(0, 0.05));
  EXPECT_GT(by_total.launches, by_median.launches);
}

TEST(Screen, IsNotUnchangedWhileTheTotalsAreOpen) {
  Noise noise(32);
  const auto tally = run_screens(50, {.max_launches = 30}, [&noise]() -> NextLaunch {
    return [&noise] { return LaunchStatistics{0.0005 * noise.normal(), 0.08 * noise.normal()}; };
  });
  EXPECT_EQ(tally.unchanged, 0U);
}

TEST(Screen, NamesTheHarmAndSaysSoWhenTheStatisticsDisagree) {
  const Verdict one = run_screen({}, always(0.05, -0.05));
  EXPECT_EQ(one.outcome, Outcome::slower);
  EXPECT_FALSE(one.decided_by_total);
  EXPECT_TRUE(one.statistics_disagree);
  EXPECT_LT(one.total_ratio.high, 1);

  // The totals are slower beyond doubt; the medians faster, but so little that it takes them longer.
  const Verdict other = run_screen({}, always(-0.007, 0.2));
  EXPECT_EQ(other.outcome, Outcome::slower);
  EXPECT_TRUE(other.decided_by_total);
  EXPECT_GT(other.ratio.estimate, 1);
  EXPECT_LT(other.median_ratio.estimate, 1);
}

TEST(Screen, GivesUpAtTheCapAndSaysWhatItCouldHaveSeen) {
  Noise noise(33);
  const double sigma = 0.05;
  const auto verdict = run_screen({.prior_sigma = sigma}, [&] {
    const double value = sigma * noise.normal();
    return LaunchStatistics{value, value};
  });
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(verdict.launches, 66U);
  EXPECT_NEAR(verdict.sigma, sigma, 0.02);
  EXPECT_NEAR(verdict.minimum_detectable_effect,
              std::expm1(std::log1p(0.01) / 2 + verdict.sigma * std::sqrt(26.0 / 66)), 1e-12);
  EXPECT_LT(verdict.ratio.low, 1);
  EXPECT_GT(verdict.ratio.high, 1);
  EXPECT_EQ(verdict.ratio.level, 0.95);
}

TEST(Screen, AFailedLaunchCountsButChangesNoEvidence) {
  Screen screen(ScreenSettings{});
  screen.advance(LaunchStatistics{0.01, 0.02});
  const Verdict before = screen.verdict();
  screen.advance(std::nullopt);
  const Verdict after = screen.verdict();
  EXPECT_EQ(after.launches, 2U);
  EXPECT_EQ(after.failed_launches, 1U);
  EXPECT_EQ(after.median.slower, before.median.slower);
  EXPECT_EQ(after.total.not_faster, before.total.not_faster);
}

TEST(Screen, FailsWhenMoreThanOneInTwentyOfTheLaunchesFail) {
  Screen screen(ScreenSettings{});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(screen.advance(std::nullopt), std::nullopt);
  EXPECT_EQ(screen.advance(std::nullopt), Outcome::failed);

  Screen small({.max_launches = 5});
  EXPECT_EQ(small.advance(std::nullopt), std::nullopt);
  EXPECT_EQ(small.advance(std::nullopt), Outcome::failed);
}

TEST(Screen, IntervalOfFewLaunchesSaysHowLittleItCovers) {
  Screen screen(ScreenSettings{});
  EXPECT_EQ(screen.verdict().ratio.level, 1);
  EXPECT_EQ(screen.verdict().ratio.low, 0);
  EXPECT_TRUE(std::isinf(screen.verdict().ratio.high));
  const double expected[] = {1, 1, 0.5, 0.5, 0.8, 0.9, 0.95, 0.95};
  for (int i = 0; i < 8; ++i) {
    screen.advance(LaunchStatistics{0.0042 * (i % 2 == 0 ? 1 : 2), 0.1 * (i % 2)});
    const RatioInterval ratio = screen.verdict().ratio;
    EXPECT_EQ(ratio.level, expected[i]) << i + 1 << " launches";
    EXPECT_LE(ratio.low, ratio.estimate);
    EXPECT_GE(ratio.high, ratio.estimate);
    EXPECT_EQ(std::isfinite(ratio.high), i >= 2);
  }
}

TEST(Screen, UnchangedComesWithAnIntervalInsideTheMargin) {
  Noise noise(34);
  for (int i = 0; i < 100; ++i) {
    const auto verdict = run_screen({.prior_sigma = 0.002}, [&] {
      const double value = 0.002 * noise.normal();
      return LaunchStatistics{value, value};
    });
    ASSERT_EQ(verdict.outcome, Outcome::unchanged);
    if (verdict.ratio.level == 0.90) {
      EXPECT_GT(verdict.ratio.low, 1 / 1.01 - 1e-9);
      EXPECT_LT(verdict.ratio.high, 1.01 + 1e-9);
    }
  }
}

TEST(Screen, OneWildLaunchNeitherDecidesNorBreaksIt) {
  int calls = 0;
  const auto verdict = run_screen({.prior_sigma = 0.002}, [&] {
    const double value = ++calls == 2 ? 700.0 : 0.001 * (calls % 3 - 1);
    return LaunchStatistics{value, value};
  });
  EXPECT_EQ(verdict.outcome, Outcome::unchanged);
  EXPECT_TRUE(std::isfinite(verdict.ratio.high));
}

TEST(Screen, RefusesLaunchesAfterItDecided) {
  Screen screen(ScreenSettings{});
  while (!screen.outcome()) screen.advance(LaunchStatistics{1, 1});
  EXPECT_THROW(screen.advance(LaunchStatistics{0, 0}), Error);
  EXPECT_EQ(screen.verdict().outcome, Outcome::slower);
}

TEST(Screen, RefusesNumbersThatAreNotFinite) {
  Screen screen(ScreenSettings{});
  EXPECT_THROW(screen.advance(LaunchStatistics{nan, 0}), Error);
  EXPECT_THROW(screen.advance(LaunchStatistics{0, nan}), Error);
  EXPECT_EQ(screen.history().launches.size(), 0U);
}

TEST(Screen, RefusesSettingsItCannotWorkWith) {
  EXPECT_THROW(Screen(ScreenSettings{.margin = 0}), InputError);
  EXPECT_THROW(Screen(ScreenSettings{.margin = nan}), InputError);
  EXPECT_THROW(Screen(ScreenSettings{.prior_sigma = -1}), InputError);
  EXPECT_THROW(Screen(ScreenSettings{.prior_sigma = nan}), InputError);
  EXPECT_THROW(Screen(ScreenSettings{.prior_sigma_total = nan}), InputError);
  EXPECT_THROW(Screen(ScreenSettings{.max_launches = 0}), InputError);
}

TEST(Screen, NeverJudgesByAScaleBelowATwentiethOfTheMargin) {
  // Launches without any noise, a fortieth of the margin above the bound: a fifth of the way to the clip each
  // time.
  const double delta = std::log1p(0.01);
  Screen screen({.prior_sigma = 0});
  screen.advance(LaunchStatistics{delta / 2 + delta / 40, 0});
  EXPECT_NEAR(screen.verdict().median.slower, 1 + 0.53 * 0.2, 1e-12);
  screen.advance(LaunchStatistics{delta / 2 + delta / 40, 0});
  // The mean of (1 + λ/5)² over the stakes, whose mean square is 0.3925.
  EXPECT_NEAR(screen.verdict().median.slower, 1 + 2 * 0.53 * 0.2 + 0.3925 * 0.04, 1e-12);
}

TEST(Screen, WorksWithoutPriorNoise) {
  EXPECT_EQ(run_screen({.prior_sigma = 0}, always(0, 0)).outcome, Outcome::unchanged);
}

TEST(Screen, JudgesLaunchesWithoutAnyNoise) {
  struct Case {
    double value;
    Outcome outcome;
  };
  for (const Case& one :
       {Case{0, Outcome::unchanged}, Case{0.02, Outcome::slower}, Case{-0.02, Outcome::faster}}) {
    const Verdict verdict = run_screen({.prior_sigma = 0}, always(one.value, one.value));
    EXPECT_EQ(verdict.outcome, one.outcome);
    EXPECT_EQ(verdict.sigma, 0);
    EXPECT_DOUBLE_EQ(verdict.ratio.estimate, std::exp(one.value));
    EXPECT_LE(verdict.ratio.low, verdict.ratio.estimate);
    EXPECT_GE(verdict.ratio.high, verdict.ratio.estimate);
    EXPECT_NEAR(verdict.minimum_detectable_effect, 0.005, 1e-4) << "half the margin stays";
  }
}

TEST(MinimumDetectableEffect, FollowsTheRule) {
  EXPECT_NEAR(minimum_detectable_effect(0.01, 0.01, 26), std::expm1(std::log1p(0.01) / 2 + 0.01), 1e-15);
  EXPECT_TRUE(std::isinf(minimum_detectable_effect(0.01, 0.01, 0)));
  EXPECT_TRUE(std::isinf(minimum_detectable_effect(0, 0.01, 0)));
  EXPECT_DOUBLE_EQ(minimum_detectable_effect(0, 0.01, 66), std::expm1(std::log1p(0.01) / 2));
  EXPECT_LT(minimum_detectable_effect(0.01, 0.01, 66), minimum_detectable_effect(0.01, 0.01, 33));
}

TEST(MinimumDetectableEffect, MakesABenchmarkUnmeasurableWhenItExceedsTwiceTheMargin) {
  EXPECT_FALSE(is_unmeasurable(0, 0.01, 1));
  EXPECT_FALSE(is_unmeasurable(0.022, 0.01, 66));
  EXPECT_TRUE(is_unmeasurable(0.025, 0.01, 66));
  EXPECT_FALSE(is_unmeasurable(0.025, 0.01, 132));
}

TEST(Verdict, NamesItsOutcomes) {
  EXPECT_STREQ(name_of(Outcome::unchanged), "unchanged");
  EXPECT_STREQ(name_of(Outcome::unmeasurable), "unmeasurable");
}

}  // namespace
}  // namespace tandem::analysis
