#include "runners/pairing/pair_runner.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>

#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using tests::program;

constexpr Arrangement short_launch{Pairing::alternate, std::chrono::microseconds{200},
                                   std::chrono::milliseconds{20}};

class PairRunnerTest : public testing::Test {
 protected:
  PairRunnerTest() : runner_(settings()) {}

  HostSettings settings() const {
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{60};
    settings.output_bytes = 100'000;
    return settings;
  }

  static ProgramPair pair(const std::string& control, const std::string& treatment) {
    return {program(control), program(treatment), {{"{program}"}}, {}, {}, {}};
  }

  SliceShape shape(const ProgramPair& programs, const Arrangement& arrangement = short_launch) {
    auto result = runner_.look_at(programs, "work", {});
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return shape_for(std::get<BenchmarkFacts>(result), arrangement);
  }

  /// Starts the good control next to a bad treatment and gives the failure of the launch.
  RunFailure failure_beside_steady(const std::string& treatment) {
    ProgramPair programs = pair("steady", treatment);
    const SliceShape cut = shape(programs);
    // Only those that never answer are waited for; a busy host gives all others the time they need.
    if (treatment == "hangs" || treatment == "ignores_sigterm") programs.deadline = std::chrono::seconds{1};
    auto result = runner_.launch(programs, {Protocol::slices, "work", cut}, plan_launch(1, 5, cut), {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process left behind";
    if (const auto* failure = std::get_if<RunFailure>(&result)) return *failure;
    ADD_FAILURE() << treatment << " did not fail";
    return {};
  }

  tests::TemporaryDirectory scratch_;
  HostPairRunner runner_;
};

TEST_F(PairRunnerTest, RecognisesEveryKindOfProgram) {
  const auto inspect = [&](const std::string& name) {
    return std::get<ProgramFacts>(runner_.inspect(pair(name, name), Side::treatment, {}));
  };
  EXPECT_EQ(inspect("several").protocol, Protocol::slices);
  EXPECT_EQ(inspect("several").benchmarks, (std::vector<std::string>{"short", "changed", "original"}));
  EXPECT_EQ(inspect("speaks_lines").protocol, Protocol::slices);
  EXPECT_EQ(inspect("observed").protocol, Protocol::observer);
  EXPECT_EQ(inspect("observed").benchmarks, (std::vector<std::string>{"NET latency", "MatMul latency"}));
  EXPECT_EQ(inspect("plain").protocol, Protocol::command);
}

TEST_F(PairRunnerTest, HandsSlicesOverByThePageInTheOrderOfThePlan) {
  const ProgramPair programs = pair("steady", "slower");
  const SliceShape cut = shape(programs);
  const LaunchPlan plan = plan_launch(3, 0, cut);
  const auto result = runner_.launch(programs, {Protocol::slices, "work", cut}, plan, {});
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  const Launch& launch = std::get<std::vector<Sampled>>(result).front().launch;
  ASSERT_EQ(launch.control.size(), cut.pairs);
  ASSERT_EQ(launch.treatment.size(), cut.pairs);
  EXPECT_EQ(std::count(launch.first.begin(), launch.first.end(), Side::control),
            static_cast<std::ptrdiff_t>(cut.pairs / 2));
  for (std::size_t i = 0; i < cut.pairs; ++i) {
    EXPECT_EQ(launch.first[i], plan.side_of(plan.order[2 * (i + cut.warm_up_pairs)]));
  }
  EXPECT_GT(launch.control_usage.peak_resident_bytes, 0u);
  EXPECT_GT(launch.treatment_usage.cpu().count(), 0);
}

TEST_F(PairRunnerTest, GivesTheSlowerSideTheLargerTimesWhicheverSlotItHad) {
  const ProgramPair programs = pair("steady", "slower");  // half as much work again
  const SliceShape cut = shape(programs);
  const LaunchPlan plan = plan_launch(3, 0, cut);
  for (const LaunchPlan& each : {plan, opposite(plan)}) {
    const auto result = runner_.launch(programs, {Protocol::slices, "work", cut}, each, {});
    const Launch& launch = std::get<std::vector<Sampled>>(result).front().launch;
    std::size_t slower = 0;
    for (std::size_t i = 0; i < launch.control.size(); ++i)
      slower += launch.treatment[i] > launch.control[i] ? 1 : 0;
    EXPECT_GT(slower, launch.control.size() * 3 / 4);
  }
}

TEST_F(PairRunnerTest, MeasuresByLinesWhatDoesNotKnowThePage) {
  const ProgramPair programs = pair("speaks_lines", "speaks_lines");
  const SliceShape cut = shape(programs);
  const auto result = runner_.launch(programs, {Protocol::slices, "work", cut}, plan_launch(3, 0, cut), {});
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  EXPECT_EQ(std::get<std::vector<Sampled>>(result).front().launch.control.size(), cut.pairs);
}

TEST_F(PairRunnerTest, FreezesTheWaitingSideOfProgramsWithThreads) {
  const ProgramPair programs = pair("threads", "threads");
  const SliceShape cut = shape(programs);
  EXPECT_EQ(cut.waiting, SliceShape::Waiting::frozen);
  const auto result = runner_.launch(programs, {Protocol::slices, "work", cut}, plan_launch(3, 0, cut), {});
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  EXPECT_EQ(std::get<std::vector<Sampled>>(result).front().launch.control.size(), cut.pairs);
}

TEST_F(PairRunnerTest, ReadsObserverLinesAndWallTimesOfWholeProcesses) {
  const auto observed =
      runner_.launch(pair("observed", "observed"), {Protocol::observer, "", {}}, plan_launch(3, 0, {}), {});
  const auto& series = std::get<std::vector<Sampled>>(observed);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].benchmark, "NET latency");
  EXPECT_EQ(series[0].launch.control.size(), 40u);
  EXPECT_TRUE(series[0].launch.first.empty());

  const auto plain =
      runner_.launch(pair("plain", "plain_long"), {Protocol::command, "", {}}, plan_launch(3, 1, {}), {});
  const auto& wall = std::get<std::vector<Sampled>>(plain);
  ASSERT_EQ(wall.size(), 3u) << "time, cpu_time, peak_memory";
  EXPECT_EQ(wall[0].launch.control.size(), 1u);
  EXPECT_GT(wall[0].launch.treatment_usage.cpu(), wall[0].launch.control_usage.cpu())
      << "ten times as much work";
}

TEST_F(PairRunnerTest, PassesArgumentsAndEnvironmentToBothSides) {
  ProgramPair programs{"/bin/sh", "/bin/sh", {}, {"GREETING=good day"}, {}, {}};
  programs.commands = {{"{program}", "-c",
                        "test \"$GREETING\" = 'good day' && test \"$1\" = 'a b' && test -n \"$TANDEM_SEED\"",
                        "sh", "a b"}};
  EXPECT_TRUE(std::holds_alternative<ProgramFacts>(runner_.inspect(programs, Side::control, {})));
  programs.commands.front().back() = "other";
  EXPECT_TRUE(std::holds_alternative<RunFailure>(runner_.inspect(programs, Side::control, {})));
}

TEST_F(PairRunnerTest, NamesACrashWithSideLaunchSignalAndLastWords) {
  const RunFailure failure = failure_beside_steady("crashes");
  EXPECT_EQ(failure.side, Side::treatment);
  EXPECT_EQ(failure.launch, 5u);
  EXPECT_EQ(failure.reason, RunFailure::Reason::crashed);
  EXPECT_EQ(failure.what,
            "treatment was killed by signal 11 (Segmentation fault) in its slices; it said: dividing by the "
            "number of rows");
}

TEST_F(PairRunnerTest, NamesTheSideThatHangsAndNotTheOneThatWaitsForIt) {
  const RunFailure failure = failure_beside_steady("hangs");
  EXPECT_EQ(failure.side, Side::treatment);
  EXPECT_EQ(failure.reason, RunFailure::Reason::timed_out);
}

TEST_F(PairRunnerTest, KillsWhatIgnoresSignals) {
  EXPECT_EQ(failure_beside_steady("ignores_sigterm").reason, RunFailure::Reason::timed_out);
}

TEST_F(PairRunnerTest, NamesAFloodOfOutput) {
  EXPECT_EQ(failure_beside_steady("floods_stdout").reason, RunFailure::Reason::flooded);
}

TEST_F(PairRunnerTest, NamesAClosedChannel) {
  const RunFailure failure = failure_beside_steady("closes_channel");
  EXPECT_EQ(failure.reason, RunFailure::Reason::protocol);
  EXPECT_EQ(failure.what, "treatment closed its channel (TANDEM_FD)");
}

TEST_F(PairRunnerTest, NamesALieAboutIterations) {
  const RunFailure failure = failure_beside_steady("lies_about_iterations");
  EXPECT_EQ(failure.reason, RunFailure::Reason::protocol);
  EXPECT_NE(failure.what.find("iterations where"), std::string::npos) << failure.what;
}

TEST_F(PairRunnerTest, NamesGarbageOnTheChannel) {
  const RunFailure failure = failure_beside_steady("prints_garbage");
  EXPECT_EQ(failure.reason, RunFailure::Reason::protocol);
  EXPECT_NE(failure.what.find("to the greeting"), std::string::npos) << failure.what;
}

TEST_F(PairRunnerTest, NamesAndKillsAProcessLeftBehind) {
  const RunFailure failure = failure_beside_steady("forks");
  EXPECT_EQ(failure.what, "treatment left 1 running process behind, killed now");
}

TEST_F(PairRunnerTest, StopsBetweenSlicesWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const ProgramPair programs = pair("steady", "steady");
  const auto result =
      runner_.launch(programs, {Protocol::slices, "work", {}}, plan_launch(1, 0, {}), source.get_token());
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::stopped);
}

// TANDEM_LAUNCHES=10000 makes it the long run of the evaluation.

}  // namespace
}  // namespace tandem::runners
