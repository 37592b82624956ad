// Calibrating at the tip, and what the walk makes of it.
#include "daemon/idle/idle_calibration.hpp"

#include <gtest/gtest.h>

#include <random>

#include "daemon/fake_history.hpp"

namespace tandem::daemon {
namespace {

using runners::Pairing;
using tests::at_cost;
using tests::Call;
using tests::FakeWalk;

class IdleCalibrationTest : public testing::Test {
 protected:
  IdleCalibrationTest() {
    walk_.settings.cpus.measured = walk_.settings.cpus.all = {0};
    walk_.settings.cpus.duet = {std::vector<int>{0}, std::vector<int>{1}};
    // Differences of costs as the history has them, and a little noise.
    walk_.runner.log_ratio = [truth = walk_.runner.log_ratio, this](const Call& call) {
      std::mt19937_64 random(call.plan.program_seed);
      const double sigma = call.plan.shape.pairing == Pairing::duet ? duet_sigma_ : 0.004;
      const double coin = call.plan.first_slot == runners::Side::control ? 1 : -1;
      const double planted = std::log1p(call.plan.shape.treatment_extra);
      return truth(call) + planted + coin * bias_ + std::normal_distribution<double>(0, sigma)(random);
    };
  }

  IdleCalibration idle() {
    // Fake launches take no time: the budget is never used up.
    return {walk_.settings, context_, 60};
  }
  const builders::Commit& tip() { return walk_.line.commits.back(); }

  FakeWalk walk_{{at_cost("c0", 1), at_cost("c1", 1), at_cost("c2", 1.1)}};
  double duet_sigma_ = 0.001;
  double bias_ = 0;
  std::int64_t now_ = 1'704'705'120;
  std::string host_ = "a host";
  std::set<std::string> phases_;
  WalkContext context_{walk_.builder,
                       walk_.runner,
                       *walk_.store,
                       walk_.publisher,
                       [this] { return now_; },
                       walk_.status,
                       [this] { phases_.insert(walk_.status.phase); },
                       [this] { return host_; }};
};

TEST_F(IdleCalibrationTest, CalibratesWhatIsMissingAndThenHasNothingToDo) {
  IdleCalibration time = idle();
  EXPECT_EQ(time.next(tip(), {}), IdleStep::made);
  EXPECT_EQ(time.next(tip(), {}), IdleStep::nothing);
  const auto found = walk_.store->calibration(walk_.settings.key, "work");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chosen.pairing, Pairing::duet);
  EXPECT_EQ(found->host, "a host");
  EXPECT_EQ(found->at, now_);
  EXPECT_TRUE(phases_.contains("calibrating"));
  EXPECT_EQ(walk_.status.noise_floor.at("work").pairing, "duet");
  EXPECT_NEAR(walk_.status.noise_floor.at("work").sigma, 0.001, 0.0008);
  EXPECT_EQ(walk_.runner.launches_of("c2", "c2"), walk_.runner.launches().size()) << "the tip next to itself";
}

TEST_F(IdleCalibrationTest, TakesOneBenchmarkAtATime) {
  for (auto& [id, commit] : walk_.commits) commit.costs = {{"one", 1}, {"two", 1}};
  IdleCalibration time = idle();
  EXPECT_EQ(time.next(tip(), {}), IdleStep::made);
  EXPECT_EQ(walk_.store->calibrations().size(), 1u);
  EXPECT_EQ(time.next(tip(), {}), IdleStep::made);
  EXPECT_EQ(walk_.store->calibrations().size(), 2u);
  EXPECT_EQ(time.next(tip(), {}), IdleStep::nothing);
}

TEST_F(IdleCalibrationTest, StartsAgainWhenTheHostChanges) {
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  host_ = "another kernel";
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  EXPECT_EQ(walk_.store->calibration(walk_.settings.key, "work")->host, host_);
  EXPECT_EQ(walk_.store->newest_events(1).front().sentence,
            "work is calibrated again: the host is now another kernel, and was a host");
}

TEST_F(IdleCalibrationTest, StartsAgainWhenTheScreensScatterMore) {
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  for (int i = 0; i < 6; ++i) {
    store::StoredVerdict verdict;
    verdict.commit = "x" + std::to_string(i);
    verdict.benchmark = "work";
    verdict.outcome = analysis::Outcome::unchanged;
    verdict.verdict.sigma = 0.03;
    verdict.verdict.launches = 20;
    verdict.at = now_ + 1;
    walk_.store->save_step(walk_.settings.key, {verdict, {}});
  }
  now_ += 10;
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::nothing) << "the new screens are older than it";
}

TEST_F(IdleCalibrationTest, StartsAgainForAnotherMargin) {
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  walk_.settings.tests = tests_of({}, {0.05});
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
}

TEST_F(IdleCalibrationTest, TriesAnHourLaterWhatCouldNotBeMeasured) {
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  auto calibration = *walk_.store->calibration(walk_.settings.key, "work");
  calibration.noise.sigma = calibration.noise.sigma_total = 0.2;
  walk_.store->save_calibration(walk_.settings.key, calibration);
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::nothing);
  now_ += 3601;
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
}

TEST_F(IdleCalibrationTest, LeavesAProgramThatCrashesAloneAndSaysSo) {
  walk_.commits.at("c2").fate = tests::FakeCommit::Fate::crashes_in_launches;
  IdleCalibration time = idle();
  EXPECT_EQ(time.next(tip(), {}), IdleStep::made);
  EXPECT_EQ(time.next(tip(), {}), IdleStep::nothing);
  EXPECT_EQ(walk_.store->newest_events(1).front().sentence,
            "work could not be calibrated: control was killed by signal 11 (Segmentation fault)");
  EXPECT_FALSE(walk_.store->calibration(walk_.settings.key, "work"));
}

TEST_F(IdleCalibrationTest, StoresNothingWhenStopped) {
  std::stop_source stop;
  walk_.runner.before_call = [&] {
    if (walk_.runner.calls.size() == 12) stop.request_stop();
  };
  EXPECT_EQ(idle().next(tip(), stop.get_token()), IdleStep::stopped);
  EXPECT_TRUE(walk_.store->calibrations().empty());
  EXPECT_EQ(walk_.runner.calls.size(), 12u);
}

TEST_F(IdleCalibrationTest, LinksAnewToFindTheLayoutSpread) {
  walk_.builder.layouts = true;
  EXPECT_EQ(idle().next(tip(), {}), IdleStep::made);
  EXPECT_EQ(walk_.builder.relinked.size(), 16u);
  EXPECT_TRUE(walk_.store->calibration(walk_.settings.key, "work")->layout_spread);
}

TEST_F(IdleCalibrationTest, DecidesHowTheNextCommitsAreMeasured) {
  EXPECT_EQ(idle().next(walk_.line.commits.front(), {}), IdleStep::made);
  walk_.runner.calls.clear();
  walk_.examine();
  EXPECT_EQ(walk_.runner.launches_of("c0", "c0"), 0u) << "no A/A of its own";
  ASSERT_FALSE(walk_.runner.launches().empty());
  for (const Call& call : walk_.runner.launches()) EXPECT_EQ(call.plan.shape.pairing, Pairing::duet);
  const auto verdict = walk_.store->verdicts(walk_.settings.key, "c1").front();
  EXPECT_NEAR(verdict.history.settings.prior_sigma, 0.001, 0.0008);
  EXPECT_EQ(walk_.records().size(), 1u);
}

TEST_F(IdleCalibrationTest, ConfirmsInTurnsWhereADuetSlowsDown) {
  EXPECT_EQ(idle().next(walk_.line.commits.front(), {}), IdleStep::made);
  auto calibration = *walk_.store->calibration(walk_.settings.key, "work");
  calibration.slow_down = 1.2;
  walk_.store->save_calibration(walk_.settings.key, calibration);
  walk_.runner.calls.clear();
  walk_.examine();
  std::size_t turns = 0;
  for (const Call& call : walk_.runner.launches())
    turns += call.plan.shape.pairing == Pairing::alternate ? 1 : 0;
  EXPECT_EQ(turns, 32u) << "the units of the confirmation";
}

TEST_F(IdleCalibrationTest, RecordsNothingOfAnUnfitBenchmark) {
  bias_ = 0.013;
  EXPECT_EQ(idle().next(walk_.line.commits.front(), {}), IdleStep::made);
  EXPECT_NE(walk_.status.noise_floor.at("work").unfit, "");
  EXPECT_EQ(walk_.status.unfit, "") << "one benchmark speaks for itself, not for the host";
  bias_ = 0;
  walk_.examine();
  EXPECT_TRUE(walk_.records().empty());
  const auto verdict = walk_.store->verdicts(walk_.settings.key, "c2").front();
  EXPECT_EQ(verdict.outcome, analysis::Outcome::slower);
  EXPECT_NE(verdict.note.find("; not recorded: "), std::string::npos) << verdict.note;
}

}  // namespace
}  // namespace tandem::daemon
