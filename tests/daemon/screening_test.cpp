#include "daemon/measure/screening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daemon/fake_runner.hpp"

namespace tandem::daemon {
namespace {

using analysis::Outcome;
using runners::RunFailure;
using runners::Side;
using tests::Call;
using tests::FakeRunner;

constexpr std::size_t aa_launches = 6;

class Screening : public testing::Test {
 protected:
  Screening() {
    pair_.control = "/builds/control";
    pair_.treatment = "/builds/treatment";
    subject_.benchmark = "work";
    subject_.protocol = runners::Protocol::slices;
    settings_.calibration_launches = aa_launches;
  }

  std::vector<Screened> run() {
    return screen(
        runner_, always(pair_), subject_, settings_,
        [this](const ScreeningProgress& progress) { shown_.push_back(progress); }, stop_.get_token());
  }
  Screened run_one() {
    auto all = run();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Screened{} : all.front();
  }

  /// The treatment is worse by `log_ratio`; the control next to itself is not.
  void treatment_is(double log_ratio) {
    runner_.log_ratio = [log_ratio](const Call& call) {
      return call.treatment == "treatment" ? log_ratio : 0.0;
    };
  }
  /// Two benchmarks in the output of one process: one as it was, one slower.
  void use_two_benchmarks() {
    subject_.protocol = runner_.protocol = runners::Protocol::observer;
    runner_.benchmarks = [](const auto&) { return std::vector<std::string>{"calm", "slow"}; };
    runner_.log_ratio = [](const Call& call) {
      return call.treatment == "treatment" && call.benchmark == "slow" ? 0.1 : 0.0;
    };
  }
  void fail_screen_launches(std::vector<std::size_t> counts, Side side = Side::treatment) {
    runner_.fails = [counts = std::move(counts), side](const Call& call) -> std::optional<RunFailure> {
      if (call.treatment != "treatment") return std::nullopt;
      if (std::find(counts.begin(), counts.end(), call.count) == counts.end()) return std::nullopt;
      return tests::crash_of(side);
    };
  }

  FakeRunner runner_;
  runners::ProgramPair pair_;
  runners::Subject subject_;
  ScreeningSettings settings_;
  std::stop_source stop_;
  std::vector<ScreeningProgress> shown_;
};

TEST_F(Screening, RunsTheControlNextToItselfFirst) {
  const Screened result = run_one();
  const auto calls = runner_.launches();
  ASSERT_GT(calls.size(), aa_launches);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].control, "control");
    EXPECT_EQ(calls[i].treatment, i < aa_launches ? "control" : "treatment") << i;
  }
  ASSERT_TRUE(result.prior);
  EXPECT_EQ(calls.size(), aa_launches + result.verdict.launches);
}

TEST_F(Screening, DrawsOtherCoinsForTheScreenThanForTheAA) {
  static_cast<void>(run());
  const auto calls = runner_.launches();
  const auto expected = runners::plan_launch(settings_.seed, 0, subject_.shape);
  EXPECT_EQ(calls[aa_launches].plan.program_seed, expected.program_seed);
  EXPECT_NE(calls[0].plan.program_seed, calls[aa_launches].plan.program_seed);
}

TEST_F(Screening, MakesNoAAWhereThePriorIsKnown) {
  settings_.priors["work"] = {0.002, 0.003};
  const Screened result = run_one();
  EXPECT_EQ(runner_.launches_of("control", "control"), 0u);
  ASSERT_TRUE(result.prior);
  EXPECT_EQ(result.prior->median, 0.002);
  EXPECT_EQ(result.history.settings.prior_sigma, 0.002);
  EXPECT_EQ(result.history.settings.prior_sigma_total, 0.003);
}

TEST_F(Screening, TakesThePriorFromTheAA) {
  runner_.log_ratio = [](const Call& call) { return call.count % 2 == 0 ? 0.004 : -0.004; };
  const Screened result = run_one();
  ASSERT_TRUE(result.prior);
  EXPECT_NEAR(result.prior->median, 1.4826 * 0.004, 1e-6);
  EXPECT_NEAR(result.history.settings.prior_sigma, 1.4826 * 0.004, 1e-6);
}

TEST_F(Screening, DoesNotBelieveAPriorOfNothing) {
  EXPECT_DOUBLE_EQ(run_one().history.settings.prior_sigma, settings_.margin / 10);
}

struct Judged {
  const char* name;
  double log_ratio;
  Outcome outcome;
};

class ScreeningJudges : public Screening, public testing::WithParamInterface<Judged> {};

TEST_P(ScreeningJudges, TheTreatment) {
  treatment_is(GetParam().log_ratio);
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, GetParam().outcome);
  EXPECT_NEAR(result.verdict.ratio.estimate, std::exp(GetParam().log_ratio), 1e-9);
  EXPECT_EQ(result.launches.size(), result.verdict.launches) << "samples are kept whatever the verdict";
  EXPECT_FALSE(result.failure);
}

INSTANTIATE_TEST_SUITE_P(Table, ScreeningJudges,
                         testing::Values(Judged{"slower", 0.05, Outcome::slower},
                                         Judged{"faster", -0.05, Outcome::faster},
                                         Judged{"unchanged", 0.0, Outcome::unchanged},
                                         Judged{"a_little_slower", 0.003, Outcome::unchanged}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(Screening, IsInconclusiveWhenTheLaunchesAreUsedUp) {
  settings_.max_launches = 8;  // nine are the fewest that prove a slowdown
  treatment_is(0.05);
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(runner_.launches_of("control", "treatment"), 8u);
  EXPECT_EQ(result.history.launches.size(), 8u);
}

TEST_F(Screening, InvertsMetricsOfWhichMoreIsBetter) {
  runner_.metric = {"images_per_second", "1/s", specs::Direction::higher_is_better};
  treatment_is(std::log(0.9));
  const Screened fewer = run_one();
  EXPECT_EQ(fewer.verdict.outcome, Outcome::slower);
  EXPECT_NEAR(fewer.verdict.ratio.estimate, 0.9, 1e-9) << "the ratio is that of the metric";
  EXPECT_LE(fewer.verdict.ratio.low, 0.9);
  EXPECT_GE(fewer.verdict.ratio.high, 0.9 - 1e-9);

  treatment_is(std::log(1.1));
  const Screened more = run_one();
  EXPECT_EQ(more.verdict.outcome, Outcome::faster);
  EXPECT_NEAR(more.verdict.ratio.estimate, 1.1, 1e-9);
}

TEST_F(Screening, FailsAtOnceWhenTheTreatmentNeverRan) {
  fail_screen_launches({0});
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::treatment_fails);
  EXPECT_EQ(runner_.launches_of("control", "treatment"), 1u);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->side, Side::treatment);
  EXPECT_EQ(result.benchmark, "work");
}

TEST_F(Screening, BlamesNobodyWhereEachSideRunsNextToItself) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    return call.control != call.treatment ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
  };
  EXPECT_EQ(run_one().verdict.outcome, Outcome::failed);
}

TEST_F(Screening, BlamesNobodyWhereBothSidesFail) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    return call.kind == Call::Kind::launch ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
  };
  EXPECT_EQ(run_one().verdict.outcome, Outcome::failed);
}

TEST_F(Screening, NamesTheControlWhenItFailsNextToItself) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    return call.treatment == "control" ? std::optional(tests::crash_of(Side::treatment)) : std::nullopt;
  };
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::control_fails);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->side, Side::control);
  EXPECT_EQ(result.failure->what, "control was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(runner_.launches_of("control", "treatment"), 0u);
}

TEST_F(Screening, PutsUpWithOneStumbleOfTheAA) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    const bool third = call.treatment == "control" && call.count == 2;
    return third ? std::optional(tests::crash_of(Side::control)) : std::nullopt;
  };
  EXPECT_EQ(run_one().verdict.outcome, Outcome::unchanged);
  EXPECT_EQ(runner_.launches_of("control", "control"), aa_launches);
}

TEST_F(Screening, PutsUpWithOneStumbleOfTheScreen) {
  fail_screen_launches({3});
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::unchanged);
  EXPECT_EQ(result.verdict.failed_launches, 1u);
  EXPECT_FALSE(result.failure);
}

TEST_F(Screening, FailsWhenItStumblesTooOften) {
  settings_.max_launches = 20;
  fail_screen_launches({1, 2});
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::failed);
  EXPECT_EQ(runner_.launches_of("control", "treatment"), 3u);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->reason, RunFailure::Reason::crashed);
}

TEST_F(Screening, KeepsTheReasonOfATimeOut) {
  runner_.fails = [](const Call& call) -> std::optional<RunFailure> {
    if (call.treatment != "treatment") return std::nullopt;
    return RunFailure{Side::treatment, 0, RunFailure::Reason::timed_out, "treatment took longer than 60 s"};
  };
  const Screened result = run_one();
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->reason, RunFailure::Reason::timed_out);
  EXPECT_EQ(result.failure->what, "treatment took longer than 60 s");
}

TEST_F(Screening, SharesTheLaunchesOfOneProcess) {
  use_two_benchmarks();
  const auto all = run();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].benchmark, "calm");
  EXPECT_EQ(all[0].verdict.outcome, Outcome::unchanged);
  EXPECT_EQ(all[1].benchmark, "slow");
  EXPECT_EQ(all[1].verdict.outcome, Outcome::slower);
  EXPECT_NE(all[0].verdict.launches, all[1].verdict.launches) << "each stops when it is decided";
  EXPECT_EQ(runner_.launches_of("control", "treatment"),
            std::max(all[0].verdict.launches, all[1].verdict.launches))
      << "the process runs until the last is decided, and no longer";
}

specs::Metric peak_memory() {
  specs::Metric metric{"peak_memory", "B"};
  metric.tolerance = 0.05;
  return metric;
}

TEST_F(Screening, JudgesEveryMetricOfABenchmarkByItself) {
  runner_.further = {{peak_memory(), std::log(1.5)}, {{"pool", "B"}, 0.0}};
  const auto all = run();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].metric.name, "time");
  EXPECT_EQ(all[0].verdict.outcome, Outcome::unchanged);
  EXPECT_EQ(all[0].rank, Screened::Rank::primary);
  EXPECT_EQ(all[1].metric.name, "peak_memory");
  EXPECT_EQ(all[1].verdict.outcome, Outcome::slower) << "by its own rule";
  EXPECT_EQ(all[1].rank, Screened::Rank::further);
  EXPECT_EQ(all[2].metric.name, "pool");
  EXPECT_EQ(all[0].verdict.launches, runner_.launches_of("control", "treatment"))
      << "each launch counts once for each metric";
}

TEST_F(Screening, MakesNoLaunchForAFurtherMetric) {
  treatment_is(std::log(1.1));
  const std::size_t alone = run_one().verdict.launches;
  runner_ = FakeRunner();
  treatment_is(std::log(1.1));
  runner_.further = {{{"pool", "B"}, std::log(1.006)}};  // too close to call for long
  EXPECT_EQ(run().front().verdict.launches, alone);
}

TEST_F(Screening, AsksForExtraRunsInItsFirstLaunchAlone) {
  static_cast<void>(run());
  std::size_t asked = 0;
  for (const Call& call : runner_.launches())
    asked += call.plan.extra_runs == runners::LaunchPlan::ExtraRuns::yes ? 1 : 0;
  EXPECT_EQ(asked, 1u);
}

TEST_F(Screening, CallsABenchmarkWithUnusableValuesFailed) {
  runner_.log_ratio = [](const Call& call) { return call.treatment == "treatment" ? -INFINITY : 0.0; };
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::failed);
  EXPECT_EQ(result.verdict.failed_launches, result.verdict.launches);
}

TEST_F(Screening, StopsBetweenLaunchesWithWhatItKnows) {
  treatment_is(0.05);
  runner_.before_call = [this] {
    if (runner_.calls.size() == aa_launches + 4) stop_.request_stop();
  };
  const Screened result = run_one();
  EXPECT_EQ(result.verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(result.verdict.launches, 3u);
  EXPECT_EQ(result.verdict.failed_launches, 0u) << "a stop is nobody's failure";
  EXPECT_EQ(runner_.calls.size(), aa_launches + 4);
}

TEST_F(Screening, StoppedInTheAAItIsInconclusive) {
  runner_.before_call = [this] { stop_.request_stop(); };
  for (const Screened& one : run()) EXPECT_EQ(one.verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(runner_.calls.size(), 1u);
}

TEST_F(Screening, ShowsEveryLaunchBeforeItIsMade) {
  static_cast<void>(run());
  ASSERT_EQ(shown_.size(), runner_.launches().size());
  EXPECT_EQ(shown_.front().phase, ScreeningProgress::Phase::calibrating);
  EXPECT_EQ(shown_.front().launch, 1u);
  EXPECT_EQ(shown_.front().most, aa_launches);
  EXPECT_EQ(shown_.back().phase, ScreeningProgress::Phase::screening);
  EXPECT_EQ(shown_.back().launch, shown_.size() - aa_launches);
  EXPECT_EQ(shown_.back().most, settings_.max_launches);
}

TEST(MetricRatio, TurnsACostOver) {
  const analysis::RatioInterval cost{1.25, 1.0, 2.0, 0.95};
  const auto more_is_better = metric_ratio(cost, specs::Direction::higher_is_better);
  EXPECT_DOUBLE_EQ(more_is_better.estimate, 0.8);
  EXPECT_DOUBLE_EQ(more_is_better.low, 0.5);
  EXPECT_DOUBLE_EQ(more_is_better.high, 1.0);
  EXPECT_DOUBLE_EQ(more_is_better.level, 0.95);
  EXPECT_DOUBLE_EQ(metric_ratio(cost, specs::Direction::lower_is_better).low, 1.0);
}

}  // namespace
}  // namespace tandem::daemon
