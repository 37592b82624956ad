// The walk over a branch whose launches scatter as on a real host.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::Call;
using tests::FakeWalk;

constexpr double sigma = 0.008;
constexpr std::size_t commits = 40;

/// A history that gets slower by `step` at one commit, or never.
std::vector<tests::FakeCommit> history(std::optional<std::size_t> culprit, double step) {
  std::vector<tests::FakeCommit> all;
  for (std::size_t i = 0; i < commits; ++i) {
    all.push_back(tests::at_cost(fmt::format("c{}", i), culprit && i >= *culprit ? 1 + step : 1));
    all.back().days = static_cast<std::int64_t>(i / 2);
  }
  return all;
}

/// Noise that belongs to the launch: its seed, its slots and its programs.
void scatter(FakeWalk& walk) {
  walk.runner.log_ratio = [truth = walk.runner.log_ratio](const Call& call) {
    const auto slot = static_cast<std::uint64_t>(call.plan.first_slot == runners::Side::control);
    std::mt19937_64 random(call.plan.program_seed + slot);
    return truth(call) + std::normal_distribution<double>(0, sigma)(random);
  };
}

TEST(NoisyWalk, WithoutAChangeHasNothingOpen) {
  FakeWalk walk(history(std::nullopt, 0));
  scatter(walk);
  walk.examine();
  for (const Record& record : walk.store->records({})) {
    EXPECT_EQ(record.kind, RecordKind::not_reproduced) << record.culprit.id;
  }
  EXPECT_EQ(walk.level(), "");
  EXPECT_EQ(walk.done().size(), commits);
}

TEST(NoisyWalk, WithOneSlowerCommitNamesIt) {
  FakeWalk walk(history(23, 0.05));
  scatter(walk);
  walk.examine();
  const auto open = walk.store->records({{}, {}, {}, RecordState::open});
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open.front().kind, RecordKind::regression);
  EXPECT_EQ(open.front().culprit.id, "c23");
  EXPECT_NEAR(open.front().ratio.estimate, 1.05, 0.01);
  EXPECT_LE(open.front().ratio.low, 1.05);
  EXPECT_GE(open.front().ratio.high, 1.05);
  EXPECT_EQ(walk.level(), "c23");
}

}  // namespace
}  // namespace tandem::daemon
