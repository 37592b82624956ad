#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runners/sandbox_fixture.hpp"
#include "runners/whole_process_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

class SandboxPairTest : public SandboxLaunchTest {
 protected:
  static ProgramPair pair(const std::string& control, const std::string& treatment) {
    return {program(control), program(treatment), {{"{program}"}}, {}, {}, {}};
  }

  SliceShape shape(const ProgramPair& programs) {
    auto result = runner_->look_at(programs, "work", {});
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return shape_for(std::get<BenchmarkFacts>(result),
                     {Pairing::alternate, std::chrono::microseconds{200}, std::chrono::milliseconds{20}});
  }

  LaunchResult launch(const ProgramPair& programs, Protocol protocol, const SliceShape& cut = {}) {
    return SandboxLaunchTest::launch(programs, {protocol, "work", cut}, plan_launch(3, 0, cut));
  }
};

TEST_F(SandboxPairTest, RecognisesEveryKindOfProgram) {
  const auto inspect = [&](const std::string& name) {
    return std::get<ProgramFacts>(runner_->inspect(pair(name, name), Side::treatment, {})).protocol;
  };
  EXPECT_EQ(inspect("several"), Protocol::slices);
  EXPECT_EQ(inspect("observed"), Protocol::observer);
  EXPECT_EQ(inspect("plain"), Protocol::command);
}

TEST_F(SandboxPairTest, HandsSlicesOverByThePage) {
  const ProgramPair programs = pair("steady", "slower");
  const SliceShape cut = shape(programs);
  EXPECT_EQ(cut.waiting, SliceShape::Waiting::blocked);
  const auto result = launch(programs, Protocol::slices, cut);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  const Launch& launched = std::get<std::vector<Sampled>>(result).front().launch;
  ASSERT_EQ(launched.control.size(), cut.pairs);
  std::size_t slower = 0;
  for (std::size_t i = 0; i < cut.pairs; ++i) slower += launched.treatment[i] > launched.control[i] ? 1 : 0;
  EXPECT_GT(slower, cut.pairs * 3 / 4);
  EXPECT_GT(launched.treatment_usage.cpu().count(), 0);
}

TEST_F(SandboxPairTest, FreezesTheWaitingSideOfProgramsWithThreads) {
  const ProgramPair programs = pair("threads", "threads");
  const SliceShape cut = shape(programs);
  EXPECT_EQ(cut.waiting, SliceShape::Waiting::frozen);
  const auto result = launch(programs, Protocol::slices, cut);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  EXPECT_EQ(std::get<std::vector<Sampled>>(result).front().launch.control.size(), cut.pairs);
}

TEST_F(SandboxPairTest, KeepsItsLimitsWhileItMeasures) {
  HostSettings settings;
  settings.scratch = scratch_.path();
  settings.sandbox = Sandbox{*tools_, {}};
  settings.sandbox->memory_bytes = std::uint64_t{64} << 20;
  runner_->use(settings);
  ProgramPair programs = pair("eats_memory", "eats_memory");
  programs.commands = {{"{program}", "300"}};
  const auto result = launch(programs, Protocol::command);
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_NE(std::get<RunFailure>(result).what.find("memory"), std::string::npos)
      << std::get<RunFailure>(result).what;
}

TEST_F(SandboxPairTest, MeasuresWholeProcesses) {
  const auto observed = launch(pair("observed", "observed"), Protocol::observer);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(observed)) << std::get<RunFailure>(observed).what;
  EXPECT_EQ(std::get<std::vector<Sampled>>(observed).size(), 2u);
  const auto plain = launch(pair("plain", "plain_long"), Protocol::command);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(plain)) << std::get<RunFailure>(plain).what;
  const Launch& wall = std::get<std::vector<Sampled>>(plain).front().launch;
  EXPECT_GT(wall.treatment_usage.cpu(), wall.control_usage.cpu());
  EXPECT_LE(wall.control.front(), static_cast<double>(wall.control_usage.wall.count()));
}

TEST_F(SandboxPairTest, NamesWhatGoesWrongInside) {
  const SliceShape cut = shape(pair("steady", "steady"));
  const auto failure = [&](const std::string& treatment) {
    const auto result = launch(pair("steady", treatment), Protocol::slices, cut);
    const auto* wrong = std::get_if<RunFailure>(&result);
    return wrong != nullptr ? wrong->what : "no failure";
  };
  EXPECT_EQ(failure("crashes"),
            "treatment was killed by signal 11 (Segmentation fault) in its slices; it said: dividing by the "
            "number of rows");
  EXPECT_EQ(failure("closes_channel"), "treatment closed its channel (TANDEM_FD)");
  EXPECT_EQ(failure("forks"), "treatment left 1 running process behind, killed now");
}

TEST_F(SandboxPairTest, ShowsWhatTheValuesNameAndLetsScratchBeWritten) {
  const fs::path build = directory_.path() / "build";
  fs::create_directory(build);
  std::ofstream(build / "table") << "rows";
  const fs::path shared = directory_.path() / "shared";
  fs::create_directory(shared);
  std::ofstream(shared / "of the host") << "x";
  ProgramPair programs{"/bin/sh", "/bin/sh", {}, {}, {}, {}};
  programs.control_values = programs.treatment_values = {
      {"BUILDDIR", build.string()}, {"TGTDIR", shared.string()}, {"HOSTDIR", shared.string()}};
  programs.commands = {
      {"{program}", "-c", "test -z \"$(ls $1)\" && cat $0/table > $1/copy", "{BUILDDIR}", "{TGTDIR}"},
      {"{program}", "-c", "test $(cat $1/copy) = rows && ! echo x 2> /dev/null > $0/table", "{BUILDDIR}",
       "{HOSTDIR}"}};
  const auto result = launch(programs, Protocol::command);
  EXPECT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  EXPECT_FALSE(fs::exists(shared / "copy")) << "each launch writes in a directory of its own";
}

TEST_F(SandboxPairTest, GivesBothCopiesPathsOfOneLength) {
  ProgramPair programs{"/bin/sh", "/bin/bash", {}, {}, {}, {}};
  programs.commands = {{"{program}", "-c",
                        "echo \"PyTorchObserver {\\\"type\\\":\\\"N\\\",\\\"metric\\\":\\\"m\\\","
                        "\\\"unit\\\":\\\"us\\\",\\\"value\\\":\\\"${#0}\\\"}\"",
                        "{program}"}};
  const auto result = launch(programs, Protocol::observer);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  const Launch& lengths = std::get<std::vector<Sampled>>(result).front().launch;
  EXPECT_EQ(lengths.control, lengths.treatment);
}

/// Whole processes inside: together, and with the metrics that need a second look.
class SandboxWholeProcessTest : public SandboxLaunchTest {
 protected:
  std::vector<Sampled> sampled(const ProgramPair& programs, Pairing pairing) {
    Subject subject{Protocol::command, "command", {}};
    subject.shape.pairing = pairing;
    auto result = launch(programs, subject, first_plan());
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<std::vector<Sampled>>(std::move(result));
  }
};

TEST_F(SandboxWholeProcessTest, RunsBothSidesTogether) {
  const ProgramPair programs{program("plain"), program("plain_long"), {{"{program}"}}, {}, {}, {}};
  const auto all = sampled(programs, Pairing::process_together);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].launch.gaps_ns.size(), 1u);
  EXPECT_GT(all[0].launch.treatment_usage.cpu(), all[0].launch.control_usage.cpu());
}

TEST_F(SandboxWholeProcessTest, FindsTheFileThatAProgramWroteInside) {
  const fs::path golden = directory_.path() / "golden.txt";
  std::ofstream(golden) << "1 2 3 4 5 6 7 8";
  ProgramPair programs{program("writes_numbers"), program("writes_numbers"), {}, {}, {}, {}};
  programs.commands = {{"{program}", "{off}", "{TGTDIR}/out.txt"}};
  programs.control_values = {{"off", "0"}, {"TGTDIR", "/data"}};
  programs.treatment_values = {{"off", "0.5"}, {"TGTDIR", "/data"}};
  programs.further_metrics = {"error"};
  programs.golden = specs::Golden{golden, "{TGTDIR}/out.txt", 0.1, {}, specs::Golden::Type::text};
  const auto all = sampled(programs, Pairing::process);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].metric.name, "error");
  EXPECT_EQ(all[1].launch.control, std::vector<double>{0});
  EXPECT_EQ(all[1].launch.treatment, std::vector<double>{0.5});
}

TEST_F(SandboxWholeProcessTest, CountsInstructionsInside) {
  ProgramPair programs{program("writes_numbers"), program("writes_numbers"), {{"{program}"}}, {}, {}, {}};
  programs.further_metrics = {"instructions"};
  programs.instructions = specs::InstructionCounter::callgrind;
  const auto all = sampled(programs, Pairing::process);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].metric.name, "instructions");
  EXPECT_GT(all[1].launch.control.at(0), 10'000);
}

// What each side does around a launch, inside.

using Values = std::vector<double>;

class SandboxAroundTest : public SandboxLaunchTest {
 protected:
  static ProgramPair scripts(const std::string& script) {
    ProgramPair programs{"/bin/sh", "/bin/sh", {{"{program}", "-c", script}}, {}, {}, {}};
    programs.control_values["TGTDIR"] = programs.treatment_values["TGTDIR"] = "/room";
    return programs;
  }

  LaunchResult launch(const ProgramPair& programs) {
    Subject subject{Protocol::observer, "command", {}};
    subject.shape.pairing = Pairing::process;
    return SandboxLaunchTest::launch(programs, subject, plan_launch(3, 1, {}));
  }

  Values values(const ProgramPair& programs) {
    const auto result = launch(programs);
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    const auto& all = std::get<std::vector<Sampled>>(result);
    return all.empty() ? Values{} : Values{all[0].launch.control.at(0), all[0].launch.treatment.at(0)};
  }
};

specs::FileSpec json_file(const std::string& location) {
  specs::FileSpec file;
  file.location = location;
  file.converter = {"json_converter", {}};
  return file;
}

TEST_F(SandboxAroundTest, CommandsAroundSeeTheSameDirectoriesAsTheProgram) {
  ProgramPair programs = scripts("cp {TGTDIR}/made {TGTDIR}/out");
  specs::HostCommand make;
  make.text = R"(sh -c 'echo "{\"type\":\"N\",\"metric\":\"m\",\"value\":6}" > {TGTDIR}/made')";
  specs::HostCommand move;
  move.text = "mv {TGTDIR}/out {TGTDIR}/moved";
  programs.before = {make};
  programs.after = {move};
  programs.written = {json_file("{TGTDIR}/moved")};
  EXPECT_EQ(values(programs), (Values{6, 6}));
  programs.before[0].text = "sh -c 'ls " + directory_.path().string() + "'";
  const auto result = launch(programs);
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result)) << "the host is as hidden as from the program";
}

TEST_F(SandboxAroundTest, KeptDirectoriesAreWritableAndRemain) {
  ProgramPair programs = scripts(
      R"(echo x >> {HOSTDIR}/n; echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":$(wc -l < {HOSTDIR}/n)}")");
  programs.kept_names = {"HOSTDIR"};
  programs.control_values["HOSTDIR"] = (directory_.path() / "c").string();
  programs.treatment_values["HOSTDIR"] = (directory_.path() / "t").string();
  EXPECT_EQ(values(programs), (Values{1, 1}));
  EXPECT_EQ(values(programs), (Values{2, 2}));
}

TEST_F(SandboxAroundTest, ALinkFromInsideDoesNotLeadToTheHost) {
  const fs::path secret = directory_.path() / "secret";
  std::ofstream(secret) << R"({"type":"N","metric":"m","value":1})";
  ProgramPair programs = scripts("ln -s " + directory_.path().string() + " {TGTDIR}/way");
  programs.written = {json_file("{TGTDIR}/way/secret")};
  const auto result = launch(programs);
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_NE(std::get<RunFailure>(result).what.find("lies outside"), std::string::npos);
}

}  // namespace
}  // namespace tandem::runners
