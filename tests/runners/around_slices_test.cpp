// What each side does around a launch of slices.
#include <gtest/gtest.h>

#include "runners/pairing/pair_runner.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;

specs::HostCommand shell(const std::string& script) {
  specs::HostCommand command;
  command.text = "sh -c '" + script + "'";
  return command;
}

class AroundSlices : public testing::TestWithParam<Pairing> {
 protected:
  AroundSlices() : runner_(settings()) {}

  HostSettings settings() const {
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{20};
    if (settings.cpus.duet[0].empty()) settings.cpus.duet = {settings.cpus.measured, settings.cpus.measured};
    return settings;
  }

  static ProgramPair pair() {
    ProgramPair programs{tests::program("steady"), tests::program("steady"), {{"{program}"}}, {}, {}, {}};
    programs.control_values["TGTDIR"] = programs.treatment_values["TGTDIR"] = "/scratch";
    return programs;
  }

  LaunchResult launch(const ProgramPair& programs) {
    SliceShape shape;
    shape.iterations = 10;
    shape.pairing = GetParam();
    auto result = runner_.launch(programs, {Protocol::slices, "work", shape}, plan_launch(3, 1, shape), {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    return result;
  }

  tests::TemporaryDirectory scratch_;
  HostPairRunner runner_;
};

TEST_P(AroundSlices, ResultsOfAfterAndOfWrittenFilesStandBesideTheTime) {
  ProgramPair programs = pair();
  programs.before = {shell(R"(echo "{\"type\":\"F\",\"metric\":\"m\",\"value\":2}" > {TGTDIR}/out)")};
  programs.after = {shell(R"(echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":3}")")};
  specs::FileSpec file;
  file.location = "{TGTDIR}/out";
  file.converter = {"json_converter", {}};
  programs.written = {file};
  programs.direction = specs::Direction::higher_is_better;
  const auto result = launch(programs);
  ASSERT_TRUE(std::holds_alternative<std::vector<Sampled>>(result)) << std::get<RunFailure>(result).what;
  const auto& all = std::get<std::vector<Sampled>>(result);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].benchmark, "work");
  EXPECT_EQ(all[0].metric.direction, specs::Direction::lower_is_better) << "time is not printed";
  EXPECT_EQ(all[1].benchmark, "F m");
  EXPECT_EQ(all[1].launch.control, Values{2});
  EXPECT_EQ(all[1].metric.direction, specs::Direction::higher_is_better);
  EXPECT_EQ(all[2].benchmark, "N m");
  EXPECT_EQ(all[2].launch.treatment, Values{3});
  EXPECT_TRUE(all[2].launch.first.empty());
}

TEST_P(AroundSlices, AFailingCommandIsTheFailureOfItsSide) {
  ProgramPair programs = pair();
  programs.after = {shell("exit 3")};
  const auto result = launch(programs);
  ASSERT_TRUE(std::holds_alternative<RunFailure>(result));
  EXPECT_NE(std::get<RunFailure>(result).what.find(
                "exited with status 3 in the command after its launch, \"sh -c 'exit 3'\""),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, AroundSlices,
                         testing::Values(Pairing::alternate, Pairing::duet, Pairing::process),
                         [](const auto& chosen) {
                           return chosen.param == Pairing::alternate ? "Alternate"
                                  : chosen.param == Pairing::duet    ? "Duet"
                                                                     : "InTurn";
                         });

using LookAtSlices = AroundSlices;

TEST_P(LookAtSlices, RunsWhatIsAroundToo) {
  ProgramPair programs = pair();
  programs.commands = {{"{program}"}};
  programs.before = {shell("exit 2")};
  const auto inspected = runner_.inspect(programs, Side::control, {});
  ASSERT_TRUE(std::holds_alternative<RunFailure>(inspected));
  const auto looked = runner_.look_at(programs, "work", {});
  ASSERT_TRUE(std::holds_alternative<RunFailure>(looked));
  programs.before.clear();
  programs.after = {shell("exit 0")};
  EXPECT_TRUE(std::holds_alternative<ProgramFacts>(runner_.inspect(programs, Side::control, {})));
  EXPECT_TRUE(std::holds_alternative<BenchmarkFacts>(runner_.look_at(programs, "work", {})));
}

INSTANTIATE_TEST_SUITE_P(Once, LookAtSlices, testing::Values(Pairing::alternate));

}  // namespace
}  // namespace tandem::runners
