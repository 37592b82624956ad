#include "runners/pairing/arrangements.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::runners {
namespace {

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
