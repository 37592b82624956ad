#include <gtest/gtest.h>

#include <algorithm>

#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/plan.hpp"

namespace tandem::runners {
namespace {

SliceShape shape_of(std::size_t pairs, std::size_t warm_up) {
  SliceShape shape;
  shape.pairs = pairs;
  shape.warm_up_pairs = warm_up;
  return shape;
}

TEST(PairPlan, IsTheSameForTheSameSeedAndIndex) {
  const LaunchPlan one = plan_launch(7, 3, shape_of(60, 4));
  const LaunchPlan two = plan_launch(7, 3, shape_of(60, 4));
  EXPECT_EQ(one.first_slot, two.first_slot);
  EXPECT_EQ(one.order, two.order);
  EXPECT_EQ(one.padding_bytes, two.padding_bytes);
  EXPECT_EQ(one.program_seed, two.program_seed);
  EXPECT_NE(one.order, plan_launch(8, 3, shape_of(60, 4)).order);
  EXPECT_NE(one.order, plan_launch(7, 4, shape_of(60, 4)).order);
}

TEST(PairPlan, TossesAFairCoinPerLaunchThatIsNotBalancedInBlocks) {
  int heads = 0;
  int runs = 1;
  constexpr int launches = 10'000;
  for (int i = 0; i < launches; ++i) {
    const bool head =
        plan_launch(1, static_cast<std::uint64_t>(i), shape_of(2, 1)).first_slot == Side::control;
    const bool before =
        i > 0 &&
        plan_launch(1, static_cast<std::uint64_t>(i - 1), shape_of(2, 1)).first_slot == Side::control;
    heads += head ? 1 : 0;
    runs += i > 0 && head != before ? 1 : 0;
  }
  // Five standard deviations around a half, for the heads and for the number of runs alike.
  EXPECT_NEAR(heads, launches / 2, 250);
  EXPECT_NEAR(runs, launches / 2, 250);
}

TEST(PairPlan, GivesEachOrderExactlyHalfOfThePairs) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const LaunchPlan plan = plan_launch(11, index, shape_of(60, 4));
    ASSERT_EQ(plan.order.size(), 2 * (60u + 4u));
    int first_slot_first = 0;
    for (std::size_t pair = 4; pair < 64; ++pair) {
      EXPECT_NE(plan.order[2 * pair], plan.order[2 * pair + 1]);
      first_slot_first += plan.order[2 * pair] == 0 ? 1 : 0;
    }
    EXPECT_EQ(first_slot_first, 30);
  }
}

TEST(PairPlan, PadsTheEnvironmentInStepsOfSixteenUpToFourKibibytes) {
  std::size_t most = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    for (const std::size_t bytes : plan_launch(5, index, shape_of(2, 1)).padding_bytes) {
      EXPECT_EQ(bytes % 16, 0u);
      most = std::max(most, bytes);
    }
  }
  EXPECT_LE(most, 4096u);
  EXPECT_GT(most, 3500u);
}

TEST(PairPlan, OppositeExchangesTheSidesAndNothingElse) {
  const LaunchPlan plan = plan_launch(3, 1, shape_of(10, 1));
  const LaunchPlan swapped = opposite(plan);
  EXPECT_EQ(swapped.side_of(0), plan.side_of(1));
  EXPECT_EQ(swapped.slot_of(Side::control), plan.slot_of(Side::treatment));
  EXPECT_EQ(swapped.order, plan.order);
  EXPECT_EQ(swapped.padding_bytes, plan.padding_bytes);
}

TEST(PairPlan, CutsSlicesOfTheAskedLengthIntoALaunchOfTheAskedLength) {
  const SliceShape shape = shape_for({1000, 1, true, 0}, {});
  EXPECT_EQ(shape.iterations, 200u);
  EXPECT_EQ(shape.pairs, 300u);
  EXPECT_EQ(shape.warm_up_pairs, 20u);
}

TEST(PairPlan, KeepsFourPairsOfIterationsThatTakeLongerThanALaunch) {
  const SliceShape shape = shape_for({2e9, 1, true, 0}, {});
  EXPECT_EQ(shape.iterations, 1u);
  EXPECT_EQ(shape.pairs, 4u);
  EXPECT_EQ(shape.warm_up_pairs, 1u);
}

TEST(PairPlan, AlwaysHasAnEvenNumberOfPairs) {
  for (double iteration_ns = 10; iteration_ns < 1e10; iteration_ns *= 1.7) {
    const SliceShape shape = shape_for({iteration_ns, 1, true, 0}, {});
    EXPECT_EQ(shape.pairs % 2, 0u) << iteration_ns;
    EXPECT_GE(shape.pairs, 4u);
    EXPECT_GE(shape.iterations, 1u);
  }
}

constexpr std::uint64_t plenty = std::uint64_t{16} << 30;

CpuChoice two_cores() {
  CpuChoice cpus;
  cpus.measured = {1};
  cpus.supervisor = {0};
  cpus.all = {0, 1};
  cpus.duet = {{{0}, {1}}};
  return cpus;
}

bool has(const PossibleArrangements& possible, Pairing pairing) {
  return std::any_of(possible.arrangements.begin(), possible.arrangements.end(),
                     [&](const Arrangement& one) { return one.pairing == pairing; });
}

std::string why_not(const PossibleArrangements& possible, Pairing pairing) {
  for (const RefusedPairing& one : possible.refused) {
    if (one.pairing == pairing) return one.why;
  }
  return {};
}

TEST(PossibleArrangements, LetASmallProgramDoEverythingAndAlternateByDefault) {
  const auto possible =
      possible_arrangements(Protocol::slices, {1000, 1, true, 1 << 20}, two_cores(), plenty);
  EXPECT_EQ(possible.arrangements.front().pairing, Pairing::alternate);
  for (const Pairing pairing : {Pairing::alternate, Pairing::duet, Pairing::process}) {
    EXPECT_TRUE(has(possible, pairing)) << name_of(pairing);
  }
  EXPECT_TRUE(possible.refused.empty());
}

TEST(PossibleArrangements, RefuseADuetOnOneCore) {
  CpuChoice one = two_cores();
  one.duet = {};
  const auto possible = possible_arrangements(Protocol::slices, {1000, 1, true, 0}, one, plenty);
  EXPECT_FALSE(has(possible, Pairing::duet));
  EXPECT_EQ(why_not(possible, Pairing::duet), "the host has no two processor cores for it");
  EXPECT_FALSE(
      why_not(possible_arrangements(Protocol::command, {}, one, plenty), Pairing::process_together).empty());
}

TEST(PossibleArrangements, RefuseADuetOfMoreThreadsThanEachSideHasCores) {
  CpuChoice cpus = two_cores();
  EXPECT_EQ(why_not(possible_arrangements(Protocol::slices, {1e6, 2, true, 0}, cpus, plenty), Pairing::duet),
            "it has 2 threads, and each side would have 1 of the host's cores");
  cpus.duet = {{{0, 1}, {2, 3}}};
  EXPECT_TRUE(has(possible_arrangements(Protocol::slices, {1e6, 2, true, 0}, cpus, plenty), Pairing::duet));
}

TEST(PossibleArrangements, RefuseADuetWithoutTheSharedPage) {
  const auto possible = possible_arrangements(Protocol::slices, {1000, 1, false, 0}, two_cores(), plenty);
  EXPECT_FALSE(has(possible, Pairing::duet));
  EXPECT_TRUE(has(possible, Pairing::alternate));
}

TEST(PossibleArrangements, GiveThreadsSlicesOfFiveMillisecondsAtLeast) {
  for (const auto& one :
       possible_arrangements(Protocol::slices, {1e4, 4, true, 0}, two_cores(), plenty).arrangements) {
    if (one.pairing == Pairing::alternate) {
      EXPECT_GE(one.slice, std::chrono::milliseconds{5});
    }
  }
}

TEST(PossibleArrangements, DoNotAlternateIterationsOfMoreThanASecond) {
  const auto possible = possible_arrangements(Protocol::slices, {1.5e9, 1, true, 0}, two_cores(), plenty);
  EXPECT_FALSE(has(possible, Pairing::alternate));
  EXPECT_EQ(possible.arrangements.front().pairing, Pairing::duet);
  const auto long_ones = possible_arrangements(Protocol::slices, {5e9, 1, true, 0}, two_cores(), plenty);
  EXPECT_EQ(long_ones.arrangements.front().pairing, Pairing::process);
}

TEST(PossibleArrangements, RunInTurnWhatDoesNotFitIntoMemoryTwice) {
  const BenchmarkFacts large{1000, 1, true, plenty / 2 + 1};
  const auto possible = possible_arrangements(Protocol::slices, large, two_cores(), plenty);
  ASSERT_EQ(possible.arrangements.size(), 1u);
  EXPECT_EQ(possible.arrangements.front().pairing, Pairing::process);
  EXPECT_EQ(possible.refused.size(), 2u);
  EXPECT_TRUE(has(possible_arrangements(Protocol::slices, large, two_cores(), std::nullopt), Pairing::duet))
      << "where the memory is unknown nothing is refused for it";
}

TEST(PossibleArrangements, StartWholeProcessesInTurnOrTogether) {
  for (const Protocol protocol : {Protocol::observer, Protocol::google_benchmark, Protocol::command}) {
    const auto possible = possible_arrangements(protocol, {}, two_cores(), plenty);
    ASSERT_EQ(possible.arrangements.size(), 2u);
    EXPECT_EQ(possible.arrangements[0].pairing, Pairing::process);
    EXPECT_EQ(possible.arrangements[1].pairing, Pairing::process_together);
  }
}

TEST(Pairing, HasANameThatIsUnderstoodAgain) {
  for (const Pairing pairing :
       {Pairing::alternate, Pairing::duet, Pairing::process, Pairing::process_together}) {
    EXPECT_EQ(pairing_named(name_of(pairing)), pairing);
  }
  EXPECT_EQ(pairing_named("auto"), std::nullopt);
  EXPECT_EQ(pairing_named(""), std::nullopt);
}

}  // namespace
}  // namespace tandem::runners
