#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runners/pairing/pair_runner.hpp"
#include "runners/sandbox_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

class SandboxPairTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (!tools_) return;
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.deadline = std::chrono::seconds{10};
    settings.sandbox = Sandbox{*tools_, {}};
    runner_.emplace(settings);
  }

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
    auto result = runner_->launch(programs, {protocol, "work", cut}, plan_launch(3, 0, cut), {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_TRUE(descendants().empty());
    return result;
  }

  tests::TemporaryDirectory scratch_;
  std::optional<HostPairRunner> runner_;
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

}  // namespace
}  // namespace tandem::runners
