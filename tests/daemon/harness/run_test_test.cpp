#include "daemon/harness/run_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daemon/fake_runner.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

using runners::Protocol;
using runners::RunFailure;
using runners::Side;
using tests::Call;

/// A launch that prints so many values a side.
std::function<runners::Launch(const Call&)> prints(std::size_t values, double treatment = 1.0) {
  return [=](const Call& call) {
    runners::Launch launch;
    launch.index = call.plan.index;
    launch.control.assign(values, 10);
    launch.treatment.assign(values, 10 * treatment);
    return launch;
  };
}

class RunTest : public testing::Test {
 protected:
  RunTest() {
    control_.program = "/builds/old";
    treatment_.program = "/builds/new";
    test_.commands = {{"{program}"}};
    test_.prefix = "net";
    fake_.protocol = Protocol::observer;
    fake_.metric = {"latency", "us", specs::Direction::lower_is_better};
    fake_.benchmarks = [](const auto&) { return std::vector<std::string>{"NET latency"}; };
  }

  TestRun alone() {
    return run_test(
        test_, {treatment_}, settings_, [](const auto&) {}, stop_.get_token());
  }
  TestRun both() {
    return run_test(
        test_, {treatment_, &control_}, settings_, [](const auto&) {}, stop_.get_token());
  }

  tests::TemporaryDirectory scratch_;
  tests::FakeRunner fake_;
  builders::Executable control_;
  builders::Executable treatment_;
  daemon::Test test_;
  std::stop_source stop_;
  RunSettings settings_{fake_, runners::CpuChoice{{0}, {}, {0}, {}}, scratch_.path(), 7};
};

TEST_F(RunTest, EndsWithTheFirstLaunchThatHasEveryIteration) {
  test_.spec.iter = 50;
  fake_.samples = prints(50);
  const TestRun run = alone();
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.failure, "");
  ASSERT_EQ(run.series.size(), 1u);
  EXPECT_EQ(run.series[0].series.values.size(), 50u);
  EXPECT_EQ(run.series[0].series.type, "NET");
  EXPECT_FALSE(run.series[0].series.control_values);
  EXPECT_EQ(fake_.launches().size(), 1u);
}

TEST_F(RunTest, LaunchesAgainUntilIterationsAreThereAndKeepsThoseThatAreTooMany) {
  test_.spec.iter = 50;
  fake_.samples = prints(20);
  const TestRun run = alone();
  EXPECT_EQ(fake_.launches().size(), 3u);
  EXPECT_EQ(run.series[0].series.values.size(), 60u);
  EXPECT_EQ(run.series[0].series.launches, 3u);
}

TEST_F(RunTest, CountsTheWholeNetAndKeepsItsOperatorsToo) {
  test_.spec.iter = 10;
  fake_.samples = prints(10);
  fake_.further = {{{"Conv latency", "us", specs::Direction::lower_is_better}, 0.0}};
  const TestRun run = alone();
  EXPECT_EQ(fake_.launches().size(), 1u);
  EXPECT_EQ(run.series.size(), 2u);
}

TEST_F(RunTest, FailsWhenLaunchesBringNothingMore) {
  test_.spec.iter = 5;
  fake_.samples = [](const Call& call) { return call.plan.index == 0 ? prints(2)(call) : runners::Launch{}; };
  const TestRun run = alone();
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.failure, "launch 2 gave no further value, and 2 of the 5 that iter asks for are there");
  EXPECT_EQ(run.series[0].series.values.size(), 2u) << "what was measured is kept";
}

TEST_F(RunTest, MakesEveryRepetitionAndEndsWithAWholeCycle) {
  test_.spec.repeat = 4;
  test_.spec.iter = 5;
  fake_.samples = prints(1);
  const TestRun run = alone();
  EXPECT_EQ(fake_.launches().size(), 8u);
  EXPECT_EQ(run.series[0].series.values.size(), 8u);
}

TEST_F(RunTest, WithoutIterationsItEndsAfterTheUsualLaunches) {
  settings_.usual_launches = 3;
  settings_.usual_time = std::chrono::hours{1};
  fake_.samples = prints(1);
  EXPECT_EQ(alone().series[0].series.values.size(), 3u);
  settings_.usual_time = {};
  EXPECT_EQ(alone().series[0].series.values.size(), 1u) << "or when the usual time has passed";
}

TEST_F(RunTest, ComparesUntilTheVerdictIsGivenAndKeepsEveryValue) {
  test_.spec.iter = 1;
  fake_.samples = prints(1, 1.2);
  const TestRun run = both();
  EXPECT_EQ(run.code, 1);
  ASSERT_EQ(run.screened.size(), 1u);
  EXPECT_EQ(run.screened[0].verdict.outcome, analysis::Outcome::slower);
  const std::size_t launches = run.screened[0].verdict.launches;
  EXPECT_GT(launches, 4u);
  EXPECT_EQ(run.series[0].series.values.size(), launches);
  EXPECT_EQ(run.series[0].series.control_values->size(), launches);
}

TEST_F(RunTest, ComparesOnUntilIterationsAreThereThoughTheVerdictIsKnown) {
  test_.spec.iter = 40;
  fake_.samples = prints(1, 1.2);
  const TestRun run = both();
  EXPECT_EQ(run.series[0].series.values.size(), 40u);
  EXPECT_LT(run.screened[0].verdict.launches, 40u) << "the evidence ended earlier";
}

TEST_F(RunTest, IsInconclusiveWhenTheLaunchesDoNotSuffice) {
  settings_.max_launches = 3;
  fake_.samples = prints(1, 1.01);
  const TestRun run = both();
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.series[0].series.values.size(), 3u);
}

TEST_F(RunTest, DoesNotKeepTheAAOfTheControl) {
  fake_.protocol = Protocol::slices;
  fake_.metric = {};
  fake_.samples = prints(2, 1.2);
  const TestRun run = both();
  std::size_t own = 0;
  for (const Call& call : fake_.launches()) own += call.control == call.treatment ? 1 : 0;
  EXPECT_EQ(own, 6u);
  EXPECT_EQ(run.series[0].series.launches + own, fake_.launches().size());
}

TEST_F(RunTest, DoesNotTakeTheSearchForTheFailingSideForResults) {
  fake_.samples = prints(1);
  fake_.fails = [](const Call& call) {
    return call.kind == Call::Kind::launch && call.treatment == "new"
               ? std::optional(tests::crash_of(Side::treatment))
               : std::nullopt;
  };
  const TestRun run = both();
  EXPECT_EQ(run.code, 1) << "the treatment alone fails";
  EXPECT_TRUE(run.series.empty());
  EXPECT_FALSE(run.failure.empty());
}

TEST_F(RunTest, SaysWhenLaunchesDoNotSufficeForTheIterations) {
  test_.spec.iter = 100;
  settings_.max_launches = 20;
  fake_.samples = prints(1, 1.2);
  const TestRun run = both();
  EXPECT_EQ(run.failure,
            "20 launches gave 20 of the 100 values that iter asks for; give a larger --max_launches");
  EXPECT_EQ(run.series[0].series.values.size(), 20u);
}

TEST_F(RunTest, NamesTheFailureOfAProgramThatCrashes) {
  fake_.fails = [](const Call&) { return std::optional(tests::crash_of(Side::treatment)); };
  const TestRun run = alone();
  EXPECT_EQ(run.code, 4);
  const std::string said = tests::crash_of(Side::treatment).what;
  EXPECT_EQ(run.failure, "the program" + said.substr(std::string("treatment").size()));
  EXPECT_TRUE(run.series.empty());
}

TEST_F(RunTest, KeepsWhatWasMeasuredBeforeACrash) {
  test_.spec.iter = 5;
  fake_.samples = prints(1);
  fake_.fails = [](const Call& call) {
    return call.kind == Call::Kind::launch && call.count == 2
               ? std::optional(tests::crash_of(Side::treatment))
               : std::nullopt;
  };
  const TestRun run = alone();
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.series[0].series.values.size(), 2u);
}

TEST_F(RunTest, SaysWhenAValueLeavesItsTolerance) {
  fake_.metric = {"error", "", specs::Direction::lower_is_better, std::nullopt, 0.5};
  fake_.samples = prints(1);
  const TestRun run = alone();
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.failure.find("leaves its tolerance of 0.5"), std::string::npos) << run.failure;
}

TEST_F(RunTest, RunsOnlyWhatTheFilterNames) {
  fake_.protocol = Protocol::slices;
  fake_.metric = {};
  fake_.benchmarks = [](const auto&) { return std::vector<std::string>{"sum/10", "sort/10"}; };
  settings_.filter = "sort";
  const TestRun run = alone();
  ASSERT_EQ(run.series.size(), 1u);
  EXPECT_EQ(run.series[0].benchmark, "sort/10");
  settings_.filter = "none such";
  EXPECT_EQ(alone().code, 2);
}

TEST_F(RunTest, RefusesAPlaceholderThatHasNoValue) {
  test_.commands = {{"{program}", "{nobody}"}};
  EXPECT_THROW(alone(), InputError);
}

TEST_F(RunTest, EndsBetweenLaunchesWhenItIsStopped) {
  test_.spec.iter = 100;
  fake_.samples = prints(1);
  std::size_t calls = 0;
  fake_.before_call = [&] {
    if (++calls == 4) stop_.request_stop();
  };
  const TestRun run = alone();
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.failure, "it was stopped before the end");
  EXPECT_FALSE(run.series.empty());
}

}  // namespace
}  // namespace tandem::daemon::harness
