#include "analysis/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/screen.hpp"
#include "tests/analysis/recorded_launches.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::analysis {
namespace {

using runners::Arrangement;
using runners::Launch;
using runners::Pairing;
using runners::Side;

constexpr LaunchCost cost{0.2, 0.12};

/// A launch whose every pair has this log-ratio.
Launch launch_of(double log_ratio, Side first_slot = Side::control, std::size_t pairs = 2) {
  Launch launch;
  launch.first_slot = first_slot;
  launch.control.assign(pairs, 1000.0);
  launch.treatment.assign(pairs, 1000.0 * std::exp(log_ratio));
  for (std::size_t i = 0; i < pairs; ++i)
    launch.first.push_back(i % 2 == 0 ? Side::control : Side::treatment);
  return launch;
}

/// Equal programs under the coin: the second slot takes e^bias of the first.
std::vector<Launch> simulated(std::uint64_t seed, std::size_t launches, double sigma, double bias,
                              double effect = 0) {
  Noise noise(seed);
  std::vector<Launch> all;
  for (std::size_t i = 0; i < launches; ++i) {
    const double coin = noise.coin();
    all.push_back(
        launch_of(effect + coin * bias + sigma * noise.normal(), coin > 0 ? Side::control : Side::treatment));
  }
  return all;
}

TriedArrangement tried(Pairing pairing, const LaunchNoise& noise = {}) {
  TriedArrangement one;
  one.arrangement.pairing = pairing;
  one.noise = noise;
  return one;
}

TEST(LaunchNoise, OfNoLaunchIsNothing) {
  const LaunchNoise noise = noise_of({}, cost);
  EXPECT_EQ(noise.launches, 0u);
  EXPECT_EQ(noise.sigma, 0);
  EXPECT_EQ(noise.tail, 0);
  EXPECT_EQ(reason_to_refuse(tried(Pairing::duet, noise), 0.01, 1), "");
}

TEST(LaunchNoise, OfOneOrTwoLaunchesIsFiniteAndKnowsNoInterval) {
  for (const std::size_t count : {1u, 2u}) {
    const std::vector<Launch> launches(count, launch_of(0.3));
    const LaunchNoise noise = noise_of(launches, cost);
    EXPECT_EQ(noise.launches, count);
    EXPECT_NEAR(noise.sigma, 1.4826 * 0.3, 1e-12);
    EXPECT_NEAR(noise.slot_bias, 0.3, 1e-12);
    EXPECT_EQ(noise.slot_bias_low, 0);
    EXPECT_EQ(noise.slot_bias_high, 0);
    EXPECT_EQ(reason_to_refuse(tried(Pairing::duet, noise), 0.01, 1), "") << "two launches prove nothing";
  }
}

TEST(LaunchNoise, OfEqualLaunchesIsNothingAndTheyAreSound) {
  const std::vector<Launch> launches(20, launch_of(0));
  const LaunchNoise noise = noise_of(launches, cost);
  EXPECT_EQ(noise.sigma, 0);
  EXPECT_EQ(noise.sigma_total, 0);
  EXPECT_EQ(noise.tail, 0);
  EXPECT_EQ(noise.within, 0);
  EXPECT_EQ(noise.slot_bias_high, 0);
  EXPECT_EQ(price_of(noise), 0);
  EXPECT_EQ(best_pairs(noise, 300), 300u);
  EXPECT_GT(cautious_price_of(noise, 0.01), 0) << "of two ways without noise the quicker one is better";
  EXPECT_EQ(reason_to_refuse(tried(Pairing::duet, noise), 0.01, 1), "");
}

TEST(LaunchNoise, OfNothingLeavesAPositiveControlToBeJudged) {
  const LaunchNoise noise = noise_of(std::vector<Launch>(20, launch_of(0)), cost);
  TriedArrangement one = tried(Pairing::duet, noise);
  const double planted = std::log(1.05);
  one.recovery = recovery_of(std::vector<Launch>(20, launch_of(planted)), planted);
  EXPECT_EQ(reason_to_refuse(one, 0.01, 1), "");
  one.recovery = recovery_of(std::vector<Launch>(20, launch_of(0.5 * planted)), planted);
  EXPECT_EQ(reason_to_refuse(one, 0.01, 1), "of a planted slowdown of 5.00 % it shows 50 %");
}

TEST(LaunchNoise, LeavesOutLaunchesWithoutUsableValues) {
  std::vector<Launch> launches(5, launch_of(0.01));
  launches[1].control = {0.0, 1.0};
  launches[3].treatment.clear();
  EXPECT_EQ(noise_of(launches, cost).launches, 3u);
}

TEST(LaunchNoise, GivesTheBiasTheSignOfTheSlotAndNotOfTheSide) {
  std::vector<Launch> launches;
  for (int i = 0; i < 10; ++i) {
    launches.push_back(i % 3 == 0 ? launch_of(0.02, Side::control) : launch_of(-0.02, Side::treatment));
  }
  const LaunchNoise noise = noise_of(launches, cost);
  EXPECT_NEAR(noise.slot_bias, 0.02, 1e-12);
  EXPECT_NEAR(noise.slot_bias_low, 0.02, 1e-12);
  EXPECT_NEAR(noise.slot_bias_high, 0.02, 1e-12);
}

TEST(LaunchNoise, FindsTheSimulatedSpreadAndCoversTheBias) {
  std::size_t covered = 0;
  double sum = 0;
  constexpr std::size_t trials = 400;
  for (std::size_t i = 0; i < trials; ++i) {
    const LaunchNoise noise = noise_of(simulated(100 + i, 24, 0.01, 0.004), cost);
    sum += noise.sigma;
    covered += noise.slot_bias_low <= 0.004 && noise.slot_bias_high >= 0.004 ? 1 : 0;
  }
  // What the slots differ by is noise under the coin.
  EXPECT_NEAR(sum / trials, std::hypot(0.01, 0.004), 0.001);
  EXPECT_NEAR(static_cast<double>(covered) / trials, 0.95, 0.035);
}

TEST(LaunchNoise, SeesTheSpreadOfThePairsInsideALaunch) {
  Noise random(7);
  std::vector<Launch> launches;
  for (int i = 0; i < 10; ++i) {
    Launch launch = launch_of(0, Side::control, 200);
    for (std::size_t pair = 0; pair < 200; ++pair) {
      const double order = launch.first[pair] == Side::control ? 0.1 : -0.1;
      launch.treatment[pair] *= std::exp(order + 0.03 * random.normal());
    }
    launches.push_back(launch);
  }
  EXPECT_NEAR(noise_of(launches, cost).within, 0.03, 0.003);
}

TEST(LaunchPrice, IsVarianceTimesSeconds) {
  LaunchNoise noise;
  noise.sigma = noise.sigma_total = 0.02;
  noise.cost.seconds = 0.5;
  EXPECT_DOUBLE_EQ(price_of(noise), 0.0002);
  noise.sigma_total = 0;
  EXPECT_DOUBLE_EQ(price_of(noise), 0.0001);
}

TEST(LaunchPrice, DoesNotTrustFewLaunches) {
  LaunchNoise lucky;
  lucky.launches = 1;
  lucky.cost.seconds = 1;
  LaunchNoise known = lucky;
  known.launches = 36;
  known.sigma = known.sigma_total = 0.003;
  EXPECT_LT(price_of(lucky), price_of(known));
  EXPECT_GT(cautious_price_of(lucky, 0.01), cautious_price_of(known, 0.01));
  EXPECT_NEAR(cautious_price_of(known, 0.01), 0.0037 * 0.0037, 1e-12);
}

TEST(ReasonToRefuse, IsAbsentWhereNothingIsKnown) {
  EXPECT_EQ(reason_to_refuse(tried(Pairing::duet), 0.01, 4), "");
}

TEST(ReasonToRefuse, IsABiasBeyondTheMargin) {
  const auto biased = tried(Pairing::duet, noise_of(simulated(1, 20, 0.005, 0.03), cost));
  const std::string reason = reason_to_refuse(biased, 0.01, 1);
  EXPECT_TRUE(reason.starts_with("one slot takes ")) << reason;
  EXPECT_EQ(reason_to_refuse(biased, 0.1, 1), "") << "a larger margin bears it";
  const auto reversed = tried(Pairing::duet, noise_of(simulated(1, 20, 0.005, -0.03), cost));
  EXPECT_TRUE(reason_to_refuse(reversed, 0.01, 1).starts_with("one slot takes 3."))
      << reason_to_refuse(reversed, 0.01, 1);
}

TEST(ReasonToRefuse, IsNotMereNoise) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto noisy = tried(Pairing::alternate, noise_of(simulated(seed, 20, 0.03, 0), cost));
    refused += reason_to_refuse(noisy, 0.01, 1).empty() ? 0 : 1;
  }
  EXPECT_LE(refused, 20u) << "one in twenty by the interval";
}

struct SlowDown {
  const char* name;
  Pairing pairing;
  std::size_t threads;
  double slow_down;
  bool refused;
};

class SlowDownRefused : public testing::TestWithParam<SlowDown> {};

TEST_P(SlowDownRefused, ByThePairingsLimit) {
  auto one = tried(GetParam().pairing);
  one.slow_down = GetParam().slow_down;
  EXPECT_EQ(!reason_to_refuse(one, 0.01, GetParam().threads).empty(), GetParam().refused)
      << reason_to_refuse(one, 0.01, GetParam().threads);
}

INSTANTIATE_TEST_SUITE_P(
    Table, SlowDownRefused,
    testing::Values(SlowDown{"duet_fits", Pairing::duet, 1, 1.29, false},
                    SlowDown{"duet_collides", Pairing::duet, 1, 1.31, true},
                    SlowDown{"processes_collide", Pairing::process_together, 1, 1.6, true},
                    SlowDown{"turns_of_one_thread", Pairing::alternate, 1, 1.4, false},
                    SlowDown{"turns_of_threads", Pairing::alternate, 4, 1.4, true},
                    SlowDown{"calm_turns_of_threads", Pairing::alternate, 4, 1.05, false},
                    SlowDown{"one_after_the_other", Pairing::process, 4, 2.0, false}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Recovery, OfNoLaunchRefusesNothing) {
  auto one = tried(Pairing::duet);
  one.recovery = recovery_of({}, std::log(1.05));
  EXPECT_EQ(one.recovery->share(), 0);
  EXPECT_EQ(reason_to_refuse(one, 0.01, 1), "");
}

struct Planted {
  const char* name;
  double share;
  double sigma;
  bool refused;
};

class RecoveryRefused : public testing::TestWithParam<Planted> {};

TEST_P(RecoveryRefused, UnderNineTenths) {
  const double planted = std::log(1.05);
  auto one = tried(Pairing::duet, noise_of(simulated(3, 20, GetParam().sigma, 0), cost));
  one.recovery = recovery_of(simulated(4, 8, GetParam().sigma, 0, GetParam().share * planted), planted);
  const std::string reason = reason_to_refuse(one, 0.01, 1);
  EXPECT_EQ(!reason.empty(), GetParam().refused) << reason;
  if (GetParam().refused) {
    EXPECT_TRUE(reason.starts_with("of a planted slowdown of 5.00 % it shows ")) << reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, RecoveryRefused,
                         testing::Values(Planted{"all_of_it", 1.0, 0.002, false},
                                         Planted{"seven_tenths", 0.7, 0.002, true},
                                         Planted{"nothing", 0.0, 0.002, true},
                                         Planted{"too_noisy_to_tell", 0.7, 0.05, false}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Recovery, RefusesWhatIsBlindToRareSlices) {
  std::vector<Launch> launches;
  for (int i = 0; i < 8; ++i) {
    Launch launch = launch_of(std::log(1.05), Side::control, 40);
    // One slice in twenty takes much longer, and only in the treatment.
    for (std::size_t pair = 0; pair < 40; pair += 20) launch.treatment[pair] *= 1.9;
    launches.push_back(launch);
  }
  auto one = tried(Pairing::alternate);
  one.recovery = recovery_of(launches, std::log(1.05));
  EXPECT_NEAR(one.recovery->share(), 1, 1e-9);
  const std::string reason = reason_to_refuse(one, 0.01, 1);
  EXPECT_NE(reason.find("blind to rare slices"), std::string::npos) << reason;
  one.noise.sigma_total = 0.05;
  EXPECT_EQ(reason_to_refuse(one, 0.01, 1), "") << "totals that scatter so much prove nothing";
}

TEST(SlowDown, PairsWhatWasMeasuredTogether) {
  const std::vector<double> alone = {100, 400, 100, 300, 100};
  std::vector<double> company;
  for (const double value : alone) company.push_back(1.2 * value);
  EXPECT_NEAR(slow_down_of(company, alone).ratio, 1.2, 1e-12);
  EXPECT_NEAR(slow_down_of(company, alone).at_least, 1.2, 1e-12);
  EXPECT_EQ(slow_down_of(company, alone).pairs, 5u);
  EXPECT_EQ(slow_down_of({}, alone).pairs, 0u);
  EXPECT_EQ(slow_down_of(std::vector<double>{0.0}, std::vector<double>{1.0}).pairs, 0u);
  company = {150, 900, 90, 700, 101};
  EXPECT_LT(slow_down_of(company, alone).at_least, slow_down_of(company, alone).ratio);
}

TEST(SlowDown, TakesNoValueOfALaunchThatHasNone) {
  EXPECT_FALSE(typical_value({}, Side::control));
  EXPECT_EQ(typical_value(launch_of(0), Side::control), 1000.0);
}

TEST(BestPairs, GrowWithTheStartAndTheSpreadWithin) {
  LaunchNoise noise;
  noise.cost = {0.16, 0.12};
  noise.within = 0.05;
  noise.sigma = std::hypot(0.002, 0.05 * std::sqrt(1.5708 / 300));
  // start 0.04 s, pair 0.4 ms, within 0.05², between 0.002²
  EXPECT_NEAR(static_cast<double>(best_pairs(noise, 300)), 10 * 25 * std::sqrt(1.5708), 2.5);
  noise.cost = {0.52, 0.12};
  EXPECT_NEAR(static_cast<double>(best_pairs(noise, 300)), std::sqrt(10.0) * 313.3, 8);
  noise.within = 0.0001;
  EXPECT_EQ(best_pairs(noise, 300), 4u);
}

TEST(BestPairs, StayWhereNothingIsKnown) {
  LaunchNoise noise;
  EXPECT_EQ(best_pairs(noise, 300), 300u);
  noise.sigma = noise.within = 0.01;
  noise.cost = {0.1, 0.1};
  EXPECT_EQ(best_pairs(noise, 300), 300u) << "a start that costs nothing";
  noise.cost = {0.2, 0.1};
  EXPECT_EQ(best_pairs(noise, 0), 0u) << "whole processes";
}

Calibration calibration_with(double sigma) {
  Calibration calibration;
  calibration.noise.sigma = sigma;
  calibration.host = "one host";
  return calibration;
}

TEST(Outdated, ByAnotherHost) {
  const auto why = outdated(calibration_with(0.01), "another host", {});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "the host is now another host, and was one host");
}

struct Moved {
  const char* name;
  double before;
  double now;
  std::size_t screens;
  bool outdated;
};

class OutdatedByNoise : public testing::TestWithParam<Moved> {};

TEST_P(OutdatedByNoise, WhenItMovedByHalf) {
  const std::vector<double> sigmas(GetParam().screens, GetParam().now);
  EXPECT_EQ(outdated(calibration_with(GetParam().before), "one host", sigmas).has_value(),
            GetParam().outdated);
}

INSTANTIATE_TEST_SUITE_P(Table, OutdatedByNoise,
                         testing::Values(Moved{"same", 0.01, 0.01, 9, false},
                                         Moved{"a_little", 0.01, 0.014, 9, false},
                                         Moved{"up", 0.01, 0.016, 9, true},
                                         Moved{"down", 0.01, 0.006, 9, true},
                                         Moved{"few_screens", 0.01, 0.1, 4, false},
                                         Moved{"below_what_matters", 0.0001, 0.0009, 9, false},
                                         Moved{"from_nothing", 0.0, 0.01, 9, true}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Outdated, NoiseOfExactlyZeroStaysValidAndIsNotGivenAnotherSize) {
  const std::vector<double> none(9, 0.0);
  EXPECT_EQ(outdated(calibration_with(0), "one host", none), std::nullopt);
  EXPECT_EQ(outdated(calibration_with(0), "one host", std::vector<double>(9, 0.01)),
            "the noise of a launch is now 1.00 %, and was at most 0.10 %");
  EXPECT_EQ(outdated(calibration_with(0.01), "one host", none),
            "the noise of a launch is now at most 0.10 %, and was 1.00 %");
}

TEST(ExpectedSigma, IsZeroWhereNothingScatters) {
  Calibration calibration = calibration_with(0);
  calibration.noise.sigma_total = 0;
  calibration.layout_spread = 0;
  EXPECT_EQ(expected_sigma(calibration).median, 0);
  EXPECT_EQ(expected_sigma(calibration).total, 0);
  EXPECT_EQ(host_noise(std::vector{calibration}).floor, 0);
  EXPECT_EQ(host_noise(std::vector{calibration}).unfit, "");
}

TEST(ExpectedSigma, IncludesTheLayoutsOfBothSides) {
  Calibration calibration = calibration_with(0.003);
  calibration.noise.sigma_total = 0.0;
  EXPECT_DOUBLE_EQ(expected_sigma(calibration).median, 0.003);
  calibration.layout_spread = 0.004 / std::sqrt(2);
  EXPECT_DOUBLE_EQ(expected_sigma(calibration).median, 0.005);
  EXPECT_DOUBLE_EQ(expected_sigma(calibration).total, 0.004);
}

TEST(ForConfirmation, ASlowedDuetTakesTurns) {
  Calibration calibration;
  calibration.chosen = {Pairing::duet, std::chrono::milliseconds{1}, std::chrono::milliseconds{120}};
  calibration.slow_down = 1.05;
  EXPECT_EQ(for_confirmation(calibration), calibration.chosen);
  calibration.slow_down = 1.2;
  EXPECT_EQ(for_confirmation(calibration).pairing, Pairing::alternate);
  EXPECT_EQ(for_confirmation(calibration).slice, calibration.chosen.slice);
  calibration.chosen.pairing = Pairing::process;
  EXPECT_EQ(for_confirmation(calibration).pairing, Pairing::process);
  calibration.chosen.pairing = Pairing::process_together;
  EXPECT_EQ(for_confirmation(calibration).pairing, Pairing::process);
}

TEST(HostNoise, IsUnfitWhenMostOfItsBenchmarksAre) {
  EXPECT_EQ(host_noise({}).unfit, "");
  std::vector<Calibration> all = {calibration_with(0.01), calibration_with(0.03), calibration_with(0.02)};
  all[0].unfit = "why";
  EXPECT_DOUBLE_EQ(host_noise(all).floor, 0.02);
  EXPECT_EQ(host_noise(all).unfit, "");
  all[1].unfit = "why";
  EXPECT_EQ(host_noise(all).unfit, "2 of 3 benchmarks cannot be measured soundly on this host");
}

TEST(RecordedTrace, OfADuetThatFightsForMemoryIsRefused) {
  const auto duet = tried(Pairing::duet, noise_of(recorded("stream64mb.duet"), cost));
  EXPECT_GE(duet.noise.launches, 20u);
  EXPECT_GT(duet.noise.sigma, 0.1);
  const std::string reason = reason_to_refuse(duet, 0.01, 1);
  EXPECT_TRUE(reason.starts_with("one slot takes ")) << reason;
}

TEST(RecordedTrace, OfTurnsIsAcceptedAndFarCheaper) {
  for (const char* name : {"gemm64.alternate", "sort10k.alternate", "hash100k.alternate"}) {
    const auto turns = tried(Pairing::alternate, noise_of(recorded(name), cost));
    EXPECT_EQ(reason_to_refuse(turns, 0.01, 1), "") << name;
    EXPECT_LT(turns.noise.sigma, 0.03) << name;
    EXPECT_GT(turns.noise.within, turns.noise.sigma) << name;
  }
  const auto duet = noise_of(recorded("stream64mb.duet"), cost);
  const auto turns = noise_of(recorded("stream64mb.alternate"), cost);
  EXPECT_LT(10 * price_of(turns), price_of(duet));
}

}  // namespace
}  // namespace tandem::analysis
