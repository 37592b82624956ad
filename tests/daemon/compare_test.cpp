// The tandem program itself, run on real little executables.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runners/process/process.hpp"
#include "support/paths.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

class Compare : public testing::Test {
 protected:
  runners::Finished tandem(const Words& words) const {
    runners::Command command;
    command.argv = {tests::paths::tandem};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.environment = runners::current_environment();
    // Other tests measure as well; each holds a lock of its own.
    command.environment.push_back("TANDEM_LOCK_FILE=" + (directory_.path() / "lock").string());
    command.working_directory = directory_.path();
    return run_command(command, {std::chrono::minutes{2}, std::size_t{1} << 20});
  }
  runners::Finished compare(const std::string& control, const std::string& treatment, Words more = {}) const {
    Words words = {"compare", tests::program(control), tests::program(treatment)};
    words.insert(words.end(), more.begin(), more.end());
    return tandem(words);
  }
  static void expect(const runners::Finished& finished, int code) {
    EXPECT_EQ(finished.how, runners::Finished::How::exited) << describe(finished);
    EXPECT_EQ(finished.code, code) << finished.output << finished.errors;
  }

  tests::TemporaryDirectory directory_;
};

TEST_F(Compare, FindsASlowdownOfHalf) {
  const auto finished = compare("steady", "slower");
  expect(finished, 1);
  EXPECT_TRUE(finished.output.starts_with("work: slower by ")) << finished.output;
  EXPECT_NE(finished.output.find("1 of 1 slower"), std::string::npos) << finished.output;
}

TEST_F(Compare, FindsASpeedUpOfAThird) {
  const auto finished = compare("slower", "steady");
  expect(finished, 0);
  EXPECT_TRUE(finished.output.starts_with("work: faster by ")) << finished.output;
}

TEST_F(Compare, DoesNotRunIdenticalPrograms) {
  // This one would end with status 4 if it were run.
  const auto finished = compare("crashes", "crashes");
  expect(finished, 0);
  EXPECT_TRUE(finished.output.starts_with("identical: ")) << finished.output;
}

TEST_F(Compare, RunsIdenticalProgramsWhenAsked) {
  const auto finished = compare("crashes", "crashes", {"--measure_identical"});
  expect(finished, 4);
}

TEST_F(Compare, SaysWhichBenchmarksAreMissingAndNew) {
  const auto finished = compare("several", "several_changed");
  expect(finished, 1);
  EXPECT_NE(finished.output.find("changed: slower by "), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("original: missing in the treatment\n"), std::string::npos);
  EXPECT_NE(finished.output.find("renamed: new in the treatment\n"), std::string::npos);
}

TEST_F(Compare, PrintsJson) {
  const auto finished = compare("several", "several_changed", {"--json", "--seed", "5", "--filter", "e"});
  expect(finished, 1);
  const json document = json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(document.is_object()) << finished.output;
  EXPECT_EQ(document["schema"], "tandem.comparison/1");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["seed"], 5);
  EXPECT_EQ(document["new"], json::array({"renamed"}));
  ASSERT_EQ(document["benchmarks"].size(), 1u) << "the filter leaves one that both have";
  const json& one = document["benchmarks"][0];
  EXPECT_EQ(one["benchmark"], "changed");
  EXPECT_EQ(one["verdict"]["outcome"], "slower");
  EXPECT_GT(one["verdict"]["ratio"]["estimate"], 1.2);
}

TEST_F(Compare, ReadsObserverLinesOfWholeProcesses) {
  const auto finished = compare("observed", "observed_slower");
  expect(finished, 1);
}

TEST_F(Compare, TimesPlainCommands) {
  const auto finished = compare("plain", "plain_slower");
  expect(finished, 1);
  EXPECT_NE(finished.output.find("command: slower by "), std::string::npos) << finished.output;
}

struct Bad {
  const char* program;
  const char* reason;

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.program; }
};

class CompareBad : public Compare, public testing::WithParamInterface<Bad> {};

TEST_P(CompareBad, AsTheTreatmentItIsAVerdictWithAReason) {
  const auto finished = compare("steady", GetParam().program, {"--timeout", "2"});
  expect(finished, 1);
  EXPECT_NE(finished.output.find("the treatment fails, the control runs"), std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find(GetParam().reason), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("treatment"), std::string::npos) << finished.output;
}

TEST_P(CompareBad, AsTheControlItFailsWithAReason) {
  const auto finished = compare(GetParam().program, "steady", {"--timeout", "2"});
  expect(finished, 4);
  EXPECT_NE(finished.output.find(GetParam().reason), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("the control fails, the treatment runs"), std::string::npos)
      << finished.output;
}

INSTANTIATE_TEST_SUITE_P(Programs, CompareBad,
                         testing::Values(Bad{"crashes", "Segmentation fault"},
                                         Bad{"forks", "running process behind"}, Bad{"hangs", "deadline"},
                                         Bad{"ignores_sigterm", "deadline"}, Bad{"floods_stdout", "output"},
                                         Bad{"closes_channel", "channel"}, Bad{"prints_garbage", "greeting"},
                                         Bad{"lies_about_iterations", "iterations"}),
                         [](const auto& one) { return std::string(one.param.program); });

TEST_F(Compare, RefusesAMissingFile) {
  const auto finished = tandem({"compare", tests::program("steady"), "no/such/program"});
  expect(finished, 2);
  EXPECT_EQ(finished.errors,
            "tandem: treatment: no/such/program does not exist; give the path of an executable\n");
  EXPECT_TRUE(finished.output.empty());
}

TEST_F(Compare, RefusesAFileThatIsNoProgram) {
  const fs::path file = directory_.path() / "notes.txt";
  std::ofstream(file) << "text";
  const auto finished = tandem({"compare", file, tests::program("steady")});
  expect(finished, 2);
  EXPECT_NE(finished.errors.find("control: " + file.string() + " is not an executable file"),
            std::string::npos)
      << finished.errors;
}

TEST_F(Compare, RefusesADirectory) {
  expect(tandem({"compare", tests::program("steady"), directory_.path()}), 2);
}

TEST_F(Compare, RefusesAnUnknownFlag) {
  const auto finished = compare("steady", "slower", {"--hurry"});
  expect(finished, 2);
  EXPECT_NE(finished.errors.find("--hurry"), std::string::npos) << finished.errors;
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1);
}

TEST_F(Compare, RefusesAFilterThatFitsNothing) {
  const auto finished = compare("steady", "slower", {"--filter", "nothing like it"});
  expect(finished, 2);
  EXPECT_NE(finished.errors.find("nothing like it"), std::string::npos) << finished.errors;
}

TEST_F(Compare, RefusesTwoProgramsOfDifferentKinds) {
  const auto finished = compare("steady", "plain");
  expect(finished, 2);
  EXPECT_NE(finished.errors.find("control is measured by slices, treatment by command"), std::string::npos)
      << finished.errors;
}

TEST_F(Compare, IsInconclusiveWithTooFewLaunches) {
  const auto finished = compare("steady", "slower", {"--max_launches", "4"});
  expect(finished, 3);
  EXPECT_TRUE(finished.output.starts_with("work: inconclusive")) << finished.output;
}

}  // namespace
}  // namespace tandem::daemon
