// What each side does around a launch, inside.
#include <gtest/gtest.h>

#include <fstream>

#include "runners/pairing/pair_runner.hpp"
#include "runners/sandbox_fixture.hpp"
#include "support/programs.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<double>;

class SandboxAroundTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (!tools_) return;
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.sandbox = Sandbox{*tools_, {}};
    runner_.emplace(settings);
  }

  static ProgramPair scripts(const std::string& script) {
    ProgramPair programs{"/bin/sh", "/bin/sh", {{"{program}", "-c", script}}, {}, {}, {}};
    programs.control_values["TGTDIR"] = programs.treatment_values["TGTDIR"] = "/room";
    return programs;
  }

  LaunchResult launch(const ProgramPair& programs) {
    Subject subject{Protocol::observer, "command", {}};
    subject.shape.pairing = Pairing::process;
    auto result = runner_->launch(programs, subject, plan_launch(3, 1, {}), {});
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    return result;
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

  tests::TemporaryDirectory scratch_;
  std::optional<HostPairRunner> runner_;
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
