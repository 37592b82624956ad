#include <gtest/gtest.h>

#include <fstream>

#include "runners/pairing/pair_runner.hpp"
#include "runners/sandbox_fixture.hpp"
#include "runners/whole_process_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

using tests::program;
namespace fs = std::filesystem;

/// Whole processes inside: together, and with the metrics that need a second look.
class SandboxWholeProcessTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (!tools_) return;
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.sandbox = Sandbox{*tools_, {}};
    if (settings.cpus.duet[0].empty()) settings.cpus.duet = {settings.cpus.measured, settings.cpus.measured};
    runner_.emplace(settings);
  }

  std::vector<Sampled> sampled(const ProgramPair& programs, Pairing pairing) {
    Subject subject{Protocol::command, "command", {}};
    subject.shape.pairing = pairing;
    auto result = runner_->launch(programs, subject, first_plan(), {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_TRUE(descendants().empty());
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<std::vector<Sampled>>(std::move(result));
  }

  tests::TemporaryDirectory scratch_;
  std::optional<HostPairRunner> runner_;
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

}  // namespace
}  // namespace tandem::runners
