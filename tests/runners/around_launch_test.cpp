// What each side does around a launch of whole processes: commands before and after, files with results.
#include <fstream>

#include "runners/whole_process_fixture.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;

specs::HostCommand shell(const std::string& script) {
  specs::HostCommand command;
  command.text = "sh -c '" + script + "'";
  return command;
}

std::string observer_line(const std::string& type, const std::string& value) {
  return R"(echo "NetObserver {\"type\":\")" + type + R"(\",\"metric\":\"m\",\"unit\":\"\",\"value\":)" +
         value + R"(}")";
}

class AroundLaunch : public WholeProcessTest, public testing::WithParamInterface<Pairing> {
 protected:
  static ProgramPair scripts(const std::string& script) {
    ProgramPair programs =
        WholeProcessTest::scripts(script, {{"TGTDIR", "/scratch"}}, {{"TGTDIR", "/scratch"}});
    programs.further_metrics = {"time"};
    return programs;
  }

  std::vector<Sampled> observed(const ProgramPair& programs) {
    return sampled(programs, subject(Protocol::observer, GetParam()), plan_launch(3, 1, {}));
  }

  RunFailure broken(const ProgramPair& programs) {
    return failure(programs, subject(Protocol::observer, GetParam()), plan_launch(3, 1, {}));
  }
};

TEST_P(AroundLaunch, KeepsAllFortyValuesOfTenNetsAndThirtyOperators) {
  const auto all = observed(pair("net_and_operators", "net_and_operators", {"10"}));
  ASSERT_EQ(all.size(), 4u);
  std::size_t control = 0;
  std::size_t treatment = 0;
  for (const Sampled& one : all) {
    control += one.launch.control.size();
    treatment += one.launch.treatment.size();
  }
  EXPECT_EQ(control, 40u);
  EXPECT_EQ(treatment, 40u);
  EXPECT_EQ(find(all, "NET latency", "latency")->launch.control,
            (Values{101, 102, 103, 104, 105, 106, 107, 108, 109, 110}));
}

TEST_P(AroundLaunch, EachSideFindsWhatWasMadeBefore) {
  ProgramPair programs = scripts(observer_line("N", "$(cat {TGTDIR}/made)"));
  programs.before = {shell("test ! -e {TGTDIR}/made && echo 5 > {TGTDIR}/made")};
  const auto all = observed(programs);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].launch.control, Values{5});
  EXPECT_EQ(all[0].launch.treatment, Values{5});
}

TEST_P(AroundLaunch, WhatAfterPrintsIsReadWithTheProgramsOwnOutput) {
  ProgramPair programs = scripts(observer_line("N", "1") + "; echo 7 > {TGTDIR}/top1");
  programs.after = {shell(observer_line("accuracy", "$(cat {TGTDIR}/top1)"))};
  const auto all = observed(programs);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].launch.control, Values{1});
  EXPECT_EQ(all[1].benchmark, "accuracy m");
  EXPECT_EQ(all[1].launch.treatment, Values{7});
}

TEST_P(AroundLaunch, ObserverLinesOfAfterStandBesideOtherResults) {
  ProgramPair programs = scripts("echo Inference timings in us: Inference \\(avg\\): 12");
  programs.converter = {"tflite", {}};
  programs.after = {shell(observer_line("N", "3"))};
  const auto all = observed(programs);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].benchmark, "NET latency");
  EXPECT_EQ(all[0].launch.control, Values{12});
  EXPECT_EQ(all[1].launch.control, Values{3});
}

TEST_P(AroundLaunch, CommandsAroundAreNotMeasured) {
  ProgramPair programs = scripts(observer_line("N", "1"));
  const std::string busy = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
  programs.before = programs.after = {shell(busy)};
  const auto around = observed(programs);
  programs.before = programs.after = {};
  programs.commands = {{"{program}", "-c", busy + "; " + observer_line("N", "1")}};
  const auto measured = observed(programs);
  ASSERT_EQ(around.size(), 1u);
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_LT(around[0].launch.control_usage.cpu(), measured[0].launch.control_usage.cpu());
}

TEST_P(AroundLaunch, AFailingCommandIsNamedAndTriedAsOftenAsItSays) {
  ProgramPair programs = scripts(observer_line("N", "1"));
  programs.before = {shell("echo no data >&2; exit 4")};
  RunFailure wrong = broken(programs);
  EXPECT_EQ(wrong.reason, RunFailure::Reason::crashed);
  EXPECT_EQ(wrong.what, std::string(name_of(wrong.side)) +
                            " exited with status 4 in the command before its launch, \"sh -c 'echo no data "
                            ">&2; exit 4'\"; it said: no data");
  programs.before[0].ignore_status = true;
  EXPECT_EQ(observed(programs).size(), 1u);
  programs.before = {shell("echo x >> {TGTDIR}/n; test $(wc -l < {TGTDIR}/n) -eq 3")};
  EXPECT_NE(broken(programs).what.find("status 1"), std::string::npos);
  programs.before[0].tries = 3;
  EXPECT_EQ(observed(programs).size(), 1u);
  programs.after = {shell("sleep 10")};
  programs.after[0].timeout = std::chrono::milliseconds{50};
  wrong = broken(programs);
  EXPECT_EQ(wrong.reason, RunFailure::Reason::timed_out);
  EXPECT_NE(wrong.what.find("in the command after its launch"), std::string::npos) << wrong.what;
  programs.after = {shell("")};
  programs.after[0].text = "'open";
  EXPECT_NE(broken(programs).what.find("is not closed"), std::string::npos);
}

TEST_P(AroundLaunch, CommandsHaveAnEnvironmentOfTheirOwnOnTopOfThePrograms) {
  ProgramPair programs = scripts(observer_line("N", "1"));
  programs.environment = {"COLOUR=2", "SHAPE=3"};
  programs.after = {shell(observer_line("after", "$COLOUR$SHAPE"))};
  programs.after[0].env = {{"COLOUR", "4"}};
  EXPECT_EQ(observed(programs).at(1).launch.control, Values{43});
}

TEST_P(AroundLaunch, WrittenFilesAreReadByTheirConverters) {
  ProgramPair programs = scripts("echo '{\"type\":\"N\",\"metric\":\"m\",\"value\":4}' > {TGTDIR}/out.json");
  specs::FileSpec file;
  file.location = "{TGTDIR}/out.json";
  file.converter = {"json_converter", {}};
  programs.written = {file};
  const auto all = observed(programs);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].benchmark, "N m");
  EXPECT_EQ(all[0].launch.treatment, Values{4});
}

TEST_P(AroundLaunch, WrittenFilesThatCannotBeReadAreNamed) {
  ProgramPair programs = scripts("true");
  specs::FileSpec file;
  file.location = "{TGTDIR}/out";
  file.converter = {"json_converter", {}};
  programs.written = {file};
  const auto clause = [&] {
    const RunFailure wrong = broken(programs);
    const std::string begin = std::string("the file {TGTDIR}/out of ") + name_of(wrong.side) + " ";
    EXPECT_EQ(wrong.what.substr(0, begin.size()), begin);
    return wrong.what.substr(begin.size());
  };
  EXPECT_EQ(clause(), "cannot be opened: No such file or directory");
  programs.commands = {{"{program}", "-c", "echo nothing > {TGTDIR}/out"}};
  EXPECT_EQ(clause(), "holds nothing for the converter json_converter");
  programs.commands = {{"{program}", "-c", "ln -sf /etc/passwd {TGTDIR}/out"}};
  EXPECT_EQ(clause(), "lies outside of the directories to write in");
  programs.commands = {{"{program}", "-c", "ln -sf own {TGTDIR}/out; echo 1 > {TGTDIR}/own"}};
  EXPECT_EQ(clause(), "cannot be opened: Too many levels of symbolic links");
  programs.commands = {{"{program}", "-c", "echo '{\"type\":1,\"metric\":' > {TGTDIR}/out"}};
  EXPECT_EQ(clause(), "cannot be read: the object in output line 1 is not valid JSON");
}

TEST_P(AroundLaunch, RemarksOfEachSideArriveWithTheSamples) {
  ProgramPair programs = WholeProcessTest::scripts(
      R"(echo 'NetObserver {"type":"N","metric":"m","value":1,"info_string":"{side}","summary":{"p50":{n}}}';)"
      R"(echo 'NetObserver {"custom_output":{n}}')",
      {{"side", "old"}, {"n", "1"}}, {{"side", "new"}, {"n", "2"}});
  const auto all = observed(programs);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].control_remarks.info_string, "old");
  EXPECT_EQ(all[0].treatment_remarks.info_string, "new");
  EXPECT_EQ(all[0].control_remarks.summary.at("p50"), 1);
  EXPECT_EQ(all[0].treatment_remarks.summary.at("p50"), 2);
  EXPECT_EQ(all[0].treatment_remarks.custom_output, std::vector<std::string>{R"({"custom_output":2})"});
}

TEST_P(AroundLaunch, AStatusCountsOnlyWhereThePairSaysSo) {
  ProgramPair programs = scripts(observer_line("N", "1") + "; exit 3");
  EXPECT_NE(broken(programs).what.find("exited with status 3"), std::string::npos);
  programs.status = ProgramPair::Status::any;
  EXPECT_EQ(observed(programs).size(), 1u);
  programs.commands = {{"{program}", "-c", "kill -9 $$"}};
  EXPECT_NE(broken(programs).what.find("killed by signal 9"), std::string::npos);
}

TEST_P(AroundLaunch, EachLaunchHasItsIndexAndEachSideItsGroup) {
  ProgramPair programs =
      scripts(observer_line("I", "{INDEX}") + "; " + observer_line("G", "${AIBENCH_TREATMENT_GROUP:-9}"));
  programs.repeat = 3;
  const auto launch = [&](std::uint64_t index) {
    return sampled(programs, subject(Protocol::observer, GetParam()), plan_launch(3, index, {}));
  };
  EXPECT_EQ(launch(5).at(0).launch.control, Values{2});
  EXPECT_EQ(launch(6).at(0).launch.treatment, Values{0});
  EXPECT_EQ(launch(6).at(1).launch.treatment, Values{9}) << "told to nobody who does not ask";
  programs.tell_side = true;
  EXPECT_EQ(launch(6).at(1).launch.control, Values{0});
  EXPECT_EQ(launch(6).at(1).launch.treatment, Values{1});
}

TEST_P(AroundLaunch, ADirectionThatIsGivenCountsMoreThanNames) {
  ProgramPair programs = scripts(observer_line("latency", "1"));
  EXPECT_EQ(observed(programs).at(0).metric.direction, specs::Direction::lower_is_better);
  programs.direction = specs::Direction::higher_is_better;
  EXPECT_EQ(observed(programs).at(0).metric.direction, specs::Direction::higher_is_better);
}

INSTANTIATE_TEST_SUITE_P(Both, AroundLaunch, testing::Values(Pairing::process, Pairing::process_together),
                         [](const auto& chosen) {
                           return chosen.param == Pairing::process ? "InTurn" : "Together";
                         });

using AroundLook = WholeProcessTest;

TEST_F(AroundLook, ALookRunsWhatIsAroundAndReadsIt) {
  ProgramPair programs = scripts("cat {TGTDIR}/made", {}, {});
  programs.control_values["TGTDIR"] = programs.treatment_values["TGTDIR"] = "/scratch";
  programs.before = {shell(observer_line("N", "1") + " > {TGTDIR}/made")};
  programs.after = {shell(observer_line("accuracy", "1"))};
  for (const std::optional<Protocol> wish : {std::optional<Protocol>(), std::optional(Protocol::observer)}) {
    programs.protocol = wish;
    const auto result = runner_.inspect(programs, Side::treatment, {});
    expect_nothing_left();
    ASSERT_TRUE(std::holds_alternative<ProgramFacts>(result)) << std::get<RunFailure>(result).what;
    EXPECT_EQ(std::get<ProgramFacts>(result).protocol, Protocol::observer);
    EXPECT_EQ(std::get<ProgramFacts>(result).benchmarks, (std::vector<std::string>{"N m", "accuracy m"}));
  }
  programs.after = {shell("exit 1")};
  const auto result = runner_.inspect(programs, Side::treatment, {});
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_EQ(std::get<RunFailure>(result).side, Side::treatment);
}

TEST_F(AroundLook, ProcessorsThatAreNotOursAreRefusedWithThoseThatAre) {
  ProgramPair programs = scripts("true", {}, {});
  programs.cpus = {own_affinity().front()};
  programs.further_metrics = {"time"};
  EXPECT_EQ(sampled(programs, subject(Protocol::command)).size(), 1u);
  programs.cpus = {60'000};
  const RunFailure wrong = failure(programs, subject(Protocol::command));
  EXPECT_EQ(wrong.reason, RunFailure::Reason::not_started);
  EXPECT_NE(wrong.what.find("must run on processor 60000, but this process may use "), std::string::npos)
      << wrong.what;
}

TEST_F(AroundLook, ProgramsRunOnTheProcessorsThatAreWished) {
  const int cpu = own_affinity().front();
  ProgramPair programs = scripts(
      R"(echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":$(sed -n 's/Cpus_allowed_list:[^0-9]*//p' )"
      R"(/proc/self/status)}")",
      {}, {});
  programs.cpus = {cpu};
  EXPECT_EQ(sampled(programs, subject(Protocol::observer)).at(0).launch.control,
            Values{static_cast<double>(cpu)});
}

TEST_F(AroundLook, ExtraRunsFindWhatIsMadeBefore) {
  const auto golden = notes_.path() / "golden.txt";
  std::ofstream(golden) << "1 2 3 4 5 6 7 8";
  ProgramPair programs = pair("writes_numbers", "writes_numbers");
  programs.control_values["TGTDIR"] = programs.treatment_values["TGTDIR"] = "/scratch";
  programs.before = {shell("mkdir {TGTDIR}/room")};
  programs.commands = {{"{program}", "0.5", "{TGTDIR}/room/out.txt"}};
  programs.after = {shell("mv {TGTDIR}/room/out.txt {TGTDIR}/moved.txt")};
  programs.further_metrics = {"error", "instructions"};
  programs.instructions = specs::InstructionCounter::callgrind;
  programs.golden = specs::Golden{golden, "{TGTDIR}/moved.txt", 0.1, {}, specs::Golden::Type::text};
  const auto all = sampled(programs, subject(Protocol::command));
  const Sampled* error = find(all, "command", "error");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->launch.control, Values{0.5});
  EXPECT_NE(find(all, "command", "instructions"), nullptr);
}

}  // namespace
}  // namespace tandem::runners
