// The directories that values name, without a sandbox: fresh ones, and those that are kept.
#include <fstream>

#include "runners/pairing/launch_command.hpp"
#include "runners/whole_process_fixture.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<double>;

class DirectoriesTest : public WholeProcessTest {
 protected:
  static constexpr const char* count_lines =
      R"(echo x >> {DIR}/n; echo "NetObserver {\"type\":\"N\",\"metric\":\"m\",\"value\":$(wc -l < {DIR}/n)}")";

  ProgramPair counting(const std::string& control, const std::string& treatment) {
    ProgramPair programs = scripts(count_lines, {{"DIR", control}}, {{"DIR", treatment}});
    programs.scratch_names = {"DIR"};
    return programs;
  }

  std::vector<double> values(const ProgramPair& programs, Pairing pairing = Pairing::process) {
    const auto all = sampled(programs, subject(Protocol::observer, pairing), plan_launch(3, 1, {}));
    if (all.empty()) return {};
    return {all[0].launch.control.at(0), all[0].launch.treatment.at(0)};
  }
};

TEST_F(DirectoriesTest, AreFreshForEachLaunchAndSide) {
  const ProgramPair programs = counting(notes_.path(), notes_.path());
  EXPECT_EQ(values(programs), (Values{1, 1}));
  EXPECT_EQ(values(programs), (Values{1, 1}));
  EXPECT_EQ(values(programs, Pairing::process_together), (Values{1, 1}));
  EXPECT_EQ(tests::entries(notes_.path()), 0u) << "nothing is written where the value points";
}

TEST_F(DirectoriesTest, ThatAreKeptRemainFromLaunchToLaunch) {
  const fs::path control = notes_.path() / "new" / "c";
  const fs::path treatment = notes_.path() / "new" / "t";
  ProgramPair programs = counting(control, treatment);
  programs.kept_names = {"DIR"};
  EXPECT_EQ(values(programs), (Values{1, 1}));
  EXPECT_EQ(values(programs), (Values{2, 2}));
  EXPECT_EQ(values(programs, Pairing::process_together), (Values{3, 3})) << "nobody is started again";
  EXPECT_TRUE(fs::exists(control / "n"));
}

TEST_F(DirectoriesTest, HaveNamesOfOneLengthOnBothSides) {
  const ProgramPair programs = counting("/control/scratch", "/t");
  const LaunchPlan plan = plan_launch(3, 0, {});
  const HostSettings host = settings();
  const ProgramCopies copies(host.scratch, programs, plan);
  const LaunchContext ground{host, programs, plan, copies};
  const auto path = [&](std::size_t slot) { return command_in_slot(ground, slot, {"{DIR}"}).argv.at(0); };
  EXPECT_EQ(path(0).size(), path(1).size());
  EXPECT_NE(path(0), path(1));
  EXPECT_EQ(path(0), path(0)) << "the same for every command of a slot";
}

TEST_F(DirectoriesTest, AreMeantByValuesThatBeginWithThem) {
  ProgramPair programs = counting(notes_.path(), notes_.path());
  for (auto* values : {&programs.control_values, &programs.treatment_values}) {
    (*values)["output_files.a"] = "{DIR}/a";
    (*values)["output_files.b"] = (notes_.path() / "b").string();
    (*values)["files.here"] = (notes_.path() / "here").string();
  }
  std::ofstream(notes_.path() / "here") << "x";
  const LaunchPlan plan = plan_launch(3, 0, {});
  const HostSettings host = settings();
  const ProgramCopies copies(host.scratch, programs, plan);
  const LaunchContext ground{host, programs, plan, copies};
  const auto words =
      command_in_slot(ground, 1, {"{DIR}", "{output_files.a}", "{output_files.b}", "{files.here}"}).argv;
  EXPECT_EQ(words[1], words[0] + "/a");
  EXPECT_EQ(words[2], words[0] + "/b");
  EXPECT_EQ(words[3], (notes_.path() / "here").string()) << "what is there to be read stays where it is";
  EXPECT_EQ(path_on_host(ground, 1, "{DIR}/a"), words[1]);
  EXPECT_TRUE(is_theirs(ground, 1, words[1]));
  EXPECT_FALSE(is_theirs(ground, 1, notes_.path() / "here"));
}

TEST_F(DirectoriesTest, ThatAreKeptGiveNoResultsOfAnEarlierLaunch) {
  ProgramPair programs = counting(notes_.path() / "c", notes_.path() / "t");
  programs.kept_names = {"DIR"};
  programs.commands = {
      {"{program}", "-c", R"(test -e {DIR}/done || echo '{"type":"N","metric":"m","value":1}' > {DIR}/out)"}};
  specs::FileSpec file;
  file.location = "{DIR}/out";
  file.converter = {"json_converter", {}};
  programs.written = {file};
  EXPECT_EQ(values(programs), (Values{1, 1}));
  for (const char* side : {"c", "t"}) std::ofstream(notes_.path() / side / "done") << "x";
  const RunFailure wrong = failure(programs, subject(Protocol::observer));
  EXPECT_NE(wrong.what.find("cannot be opened"), std::string::npos) << wrong.what;
}

TEST_F(DirectoriesTest, OfARunThatKeepsTheOtherCompanyAreOthers) {
  ProgramPair programs =
      scripts(R"(echo x >> {TGTDIR}/n; cat {TGTDIR}/made > /dev/null || exit 9; {rest}; )"
              R"(echo '{"type":"N","metric":"m","value":1}' >> {TGTDIR}/out)",
              {{"rest", "true"}, {"TGTDIR", "/s"}}, {{"rest", "sleep 0.5"}, {"TGTDIR", "/s"}});
  specs::HostCommand make;
  make.text = "touch {TGTDIR}/made";
  programs.before = {make};
  specs::FileSpec file;
  file.location = "{TGTDIR}/out";
  file.converter = {"json_converter", {}};
  programs.written = {file};
  const auto all = sampled(programs, subject(Protocol::observer, Pairing::process_together));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].launch.control, Values{1}) << "only the first start counts";
}

TEST_F(DirectoriesTest, TheFirstWordOfACommandIsLookedForOnTheSearchPath) {
  const ProgramPair programs = pair("plain", "plain");
  const LaunchPlan plan = plan_launch(3, 0, {});
  HostSettings host = settings();
  host.environment = {"PATH=/nowhere:/usr/bin:/bin", "KEPT=1", "SPEC=host"};
  ProgramPair named = programs;
  named.environment = {"SPEC=pair"};
  const ProgramCopies copies(host.scratch, named, plan);
  const LaunchContext ground{host, named, plan, copies};
  const Command command = command_in_slot(ground, 0, {"sh"});
  EXPECT_TRUE(fs::path(command.argv.at(0)).is_absolute());
  EXPECT_EQ(command_in_slot(ground, 0, {"no-such-program"}).argv.at(0), "no-such-program");
  EXPECT_EQ(std::count(command.environment.begin(), command.environment.end(), "SPEC=pair"), 1);
  EXPECT_EQ(std::count(command.environment.begin(), command.environment.end(), "SPEC=host"), 0);
}

}  // namespace
}  // namespace tandem::runners
