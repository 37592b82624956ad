// Random histories with noise and layouts: nothing is recorded that did not happen, and everything that did.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using tests::FakeCommit;
using tests::FakeWalk;

constexpr std::size_t commits = 30;
constexpr std::size_t histories = 20;
constexpr double launch_noise = 0.004;
constexpr double layout_noise = 0.003;

struct Random {
  std::vector<FakeCommit> history;
  std::map<std::size_t, double> steps;  ///< position and ratio
};

/// Two or three steps of 3 % to 8 %, up or down, and two commits that do not build, none beside a step.
Random random_history(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Random made;
  std::vector<std::size_t> places(commits - 1);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i + 1;
  std::shuffle(places.begin(), places.end(), random);
  const std::size_t count = 2 + random() % 2;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::uniform_real_distribution<double>(0.03, 0.08)(random);
    made.steps[places[i]] = random() % 2 == 0 ? 1 + size : 1 / (1 + size);
  }
  double cost = 1;
  for (std::size_t i = 0; i < commits; ++i) {
    if (const auto step = made.steps.find(i); step != made.steps.end()) cost *= step->second;
    made.history.push_back(tests::at_cost(fmt::format("s{}c{}", seed, i), cost));
    made.history.back().days = static_cast<std::int64_t>(i / 3);
  }
  std::size_t broken = 0;
  for (std::size_t i = count; i < places.size() && broken < 2; ++i) {
    if (made.steps.contains(places[i]) || made.steps.contains(places[i] + 1)) continue;
    made.history[places[i]].fate = FakeCommit::Fate::does_not_build;
    ++broken;
  }
  return made;
}

TEST(SweptHistories, RecordEveryStepAndNothingElse) {
  std::size_t steps = 0;
  std::size_t found = 0;
  std::size_t notes = 0;
  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    SCOPED_TRACE(seed);
    const Random made = random_history(seed);
    FakeWalk walk(made.history);
    walk.builder.layouts = true;
    walk.sigma = launch_noise;
    walk.layout_spread = layout_noise;
    walk.examine();
    std::map<std::size_t, double> recorded;
    for (const Record& record : walk.store->records({})) {
      if (!is_step(record.kind)) {
        ++notes;
        continue;
      }
      EXPECT_NE(record.kind, RecordKind::accumulated) << record.culprit.id;
      const std::size_t at = walk.line.position(record.culprit.id).value_or(0);
      EXPECT_TRUE(made.steps.contains(at))
          << "nothing happened at " << record.culprit.id << ": " << record.ratio.estimate;
      if (!made.steps.contains(at)) continue;
      EXPECT_NEAR(record.ratio.estimate, made.steps.at(at), 0.005) << record.culprit.id;
      recorded[at] = record.ratio.estimate;
      ++found;
    }
    for (const auto& [at, ratio] : made.steps) {
      EXPECT_TRUE(recorded.contains(at)) << made.history[at].id << " by " << ratio << " was missed";
    }
    steps += made.steps.size();
  }
  fmt::print("{} histories of {} commits: {} true steps, {} recorded, {} suspects not confirmed\n", histories,
             commits, steps, found, notes);
  RecordProperty("steps", static_cast<int>(steps));
  RecordProperty("recorded", static_cast<int>(found));
}

}  // namespace
}  // namespace tandem::daemon
