#include <algorithm>
#include <fstream>
#include <iterator>

#include "runners/pairing/whole_process.hpp"
#include "runners/whole_process_fixture.hpp"

namespace tandem::runners {
namespace {

std::size_t lines_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(stream), {}, '\n'));
}

/// Both ways of running whole processes, and the coin both ways.
class WholeProcessPairings : public WholeProcessTest, public testing::WithParamInterface<Pairing> {
 protected:
  RunFailure failure_beside_plain(const std::string& treatment, std::chrono::nanoseconds deadline) {
    ProgramPair programs = pair("plain", treatment);
    programs.deadline = deadline;
    const LaunchPlan plan = plan_launch(1, 5, {});
    RunFailure last;
    for (const LaunchPlan& each : {plan, opposite(plan)}) {
      last = failure(programs, subject(Protocol::command, GetParam()), each);
      EXPECT_EQ(last.side, Side::treatment) << last.what;
      EXPECT_EQ(last.launch, 5u);
    }
    return last;
  }

  static constexpr std::chrono::seconds soon{2};
  static constexpr std::chrono::seconds long_enough{60};
};

TEST_P(WholeProcessPairings, NamesACrashWithTheLastWords) {
  const RunFailure failure = failure_beside_plain("crashes", long_enough);
  EXPECT_EQ(failure.reason, RunFailure::Reason::crashed);
  EXPECT_EQ(
      failure.what,
      "treatment was killed by signal 11 (Segmentation fault); it said: dividing by the number of rows");
}

TEST_P(WholeProcessPairings, NamesTheSideThatHangs) {
  const RunFailure failure = failure_beside_plain("hangs", soon);
  EXPECT_EQ(failure.reason, RunFailure::Reason::timed_out);
  EXPECT_EQ(failure.what, "treatment did not end before its deadline");
}

TEST_P(WholeProcessPairings, KillsWhatIgnoresSignals) {
  EXPECT_EQ(failure_beside_plain("ignores_sigterm", soon).reason, RunFailure::Reason::timed_out);
}

TEST_P(WholeProcessPairings, NamesAFloodOfOutput) {
  EXPECT_EQ(failure_beside_plain("floods_stdout", long_enough).reason, RunFailure::Reason::flooded);
}

TEST_P(WholeProcessPairings, NamesAndKillsAProcessLeftBehind) {
  EXPECT_EQ(failure_beside_plain("forks", long_enough).what,
            "treatment left 1 running process behind, killed now");
}

TEST_P(WholeProcessPairings, NamesAProgramThatCannotBeStarted) {
  ProgramPair programs = pair("plain", "plain");
  programs.treatment_values["tool"] = "/nowhere/at/all";
  programs.control_values["tool"] = "/bin/true";
  programs.commands = {{"{tool}"}};
  const RunFailure wrong = failure(programs, subject(Protocol::command, GetParam()));
  EXPECT_EQ(wrong.side, Side::treatment);
  EXPECT_EQ(wrong.reason, RunFailure::Reason::not_started);
}

TEST_P(WholeProcessPairings, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const auto result = runner_.launch(pair("plain", "plain"), subject(Protocol::command, GetParam()),
                                     plan_launch(1, 0, {}), source.get_token());
  expect_nothing_left();
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::stopped);
}

TEST_P(WholeProcessPairings, RunsAllCommandsOfASideOneAfterTheOther) {
  ProgramPair programs =
      scripts("", {{"note", (notes_.path() / "c").string()}}, {{"note", (notes_.path() / "t").string()}});
  programs.commands = {
      {"{program}", "-c", "echo 3 > {note}"},
      {"{program}", "-c", R"(echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":\"$(cat $0)\"}")",
       "{note}"}};
  const auto all = sampled(programs, subject(Protocol::observer, GetParam()));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].launch.control, std::vector<double>{3});
  EXPECT_EQ(all[0].launch.treatment, std::vector<double>{3});
}

TEST_P(WholeProcessPairings, RunsOneSideAloneWhenThePlanSaysSo) {
  const LaunchPlan plan = plan_launch(1, 0, {});
  const auto all =
      sampled(pair("plain", "crashes"), subject(Protocol::command, GetParam()), alone(plan, Side::control));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].launch.control.size(), 1u);
  EXPECT_TRUE(all[0].launch.treatment.empty());
}

INSTANTIATE_TEST_SUITE_P(Both, WholeProcessPairings,
                         testing::Values(Pairing::process, Pairing::process_together),
                         [](const auto& chosen) {
                           return chosen.param == Pairing::process ? "InTurn" : "Together";
                         });

using ProcessesTogether = WholeProcessTest;

TEST_F(ProcessesTogether, TheEarlyFinisherIsStartedAgainAndItsValuesAreThrownAway) {
  const auto note = [&](const char* name) { return (notes_.path() / name).string(); };
  const std::string script =
      R"(echo x >> {note}; {rest}; echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":1}")";
  ProgramPair programs = scripts(script, {{"note", note("control")}, {"rest", "true"}},
                                 {{"note", note("treatment")}, {"rest", "sleep 0.5"}});
  const auto all = sampled(programs, subject(Protocol::observer, Pairing::process_together));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].launch.control, std::vector<double>{1}) << "only the first start counts";
  EXPECT_GT(lines_in(note("control")), 1u);
  EXPECT_EQ(lines_in(note("treatment")), 1u);
  EXPECT_LT(all[0].launch.control_usage.wall, all[0].launch.treatment_usage.wall);
  ASSERT_EQ(all[0].launch.gaps_ns.size(), 1u);
  EXPECT_GT(all[0].launch.gaps_ns[0], 0);
}

TEST_F(ProcessesTogether, AFailureOfTheSecondStartIsNamedAsSuch) {
  const std::string note = (notes_.path() / "started").string();
  const ProgramPair programs =
      scripts("{rest}", {{"rest", "test ! -e " + note + " && touch " + note}}, {{"rest", "sleep 5"}});
  const RunFailure wrong = failure(programs, subject(Protocol::command, Pairing::process_together));
  EXPECT_EQ(wrong.side, Side::control);
  EXPECT_EQ(wrong.what, "control exited with status 1 when it was started again beside the treatment");
}

TEST_F(ProcessesTogether, EachSlotHasProcessorsOfItsOwn) {
  if (choose_cpus().duet[0].empty()) GTEST_SKIP() << "this host has no two cores";
  const auto note = [&](Side side) { return notes_.path() / name_of(side); };
  const ProgramPair programs = scripts(
      "while read -r name value; do case $name in Cpus_allowed_list:) echo $value >> {note};; esac; done "
      "< /proc/self/status",
      {{"note", note(Side::control).string()}}, {{"note", note(Side::treatment).string()}});
  const auto cpus = settings().cpus.duet;
  const LaunchPlan plan = plan_launch(1, 0, {});
  for (const LaunchPlan& each : {plan, opposite(plan)}) {
    for (const Side side : {Side::control, Side::treatment}) std::filesystem::remove(note(side));
    EXPECT_FALSE(sampled(programs, subject(Protocol::command, Pairing::process_together), each).empty());
    for (const Side side : {Side::control, Side::treatment}) {
      std::string seen;
      std::ifstream(note(side)) >> seen;
      const auto& expected = cpus.at(each.slot_of(side));
      if (expected.size() == 1) {
        EXPECT_EQ(seen, std::to_string(expected.front()));
      }
    }
  }
}

TEST_F(ProcessesTogether, SayWhyTheyCannotRunOnAHostWithOneCore) {
  HostSettings small = settings();
  small.cpus.duet = {};
  HostPairRunner runner(small);
  const auto result =
      runner.launch(pair("plain", "plain"), subject(Protocol::command, Pairing::process_together),
                    plan_launch(1, 0, {}), {});
  EXPECT_EQ(std::get<RunFailure>(result).reason, RunFailure::Reason::not_started);
  EXPECT_NE(std::get<RunFailure>(result).what.find("no two cores"), std::string::npos);
  expect_nothing_left();
}

TEST_F(ProcessesTogether, LeakNoDescriptorOverManyLaunches) {
  const ProgramPair programs = pair("plain", "plain_slower");
  const Subject what = subject(Protocol::command, Pairing::process_together);
  ASSERT_FALSE(sampled(programs, what).empty());
  const std::size_t before = tests::entries("/proc/self/fd");
  for (std::uint64_t index = 1; index <= 15; ++index)
    ASSERT_FALSE(sampled(programs, what, plan_launch(1, index, {})).empty());
  EXPECT_EQ(tests::entries("/proc/self/fd"), before);
}

}  // namespace
}  // namespace tandem::runners
