// `tandem calibrate` on real little executables. What it measures is this host's affair; how it says so is
// ours.
#include <gtest/gtest.h>

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

class Calibrate : public testing::Test {
 protected:
  runners::Finished calibrate(Words words) const {
    words.insert(words.end(), {"--state_dir", (directory_.path() / "state").string()});
    return calibrate_with(words, {});
  }
  runners::Finished calibrate_with(const Words& words, const Words& environment) const {
    runners::Command command;
    command.argv = {tests::paths::tandem, "calibrate"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.environment = runners::current_environment();
    command.environment.insert(command.environment.end(), environment.begin(), environment.end());
    // Other tests measure as well; each holds a lock of its own.
    command.environment.push_back("TANDEM_LOCK_FILE=" + (directory_.path() / "lock").string());
    command.working_directory = directory_.path();
    return run_command(command, {std::chrono::minutes{2}, std::size_t{1} << 20});
  }
  /// A busy host may find a benchmark unmeasurable; then it says 3.
  static void expect_measured(const runners::Finished& finished) {
    EXPECT_EQ(finished.how, runners::Finished::How::exited) << describe(finished);
    EXPECT_TRUE(finished.code == 0 || finished.code == 3)
        << finished.code << finished.output << finished.errors;
  }

  tests::TemporaryDirectory directory_;
};

TEST_F(Calibrate, SaysHowEachBenchmarkIsBestMeasured) {
  const auto finished = calibrate({tests::program("several"), "--budget", "4", "--json", "--seed", "5"});
  expect_measured(finished);
  const json document = json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(document.is_object()) << finished.output;
  EXPECT_EQ(document["schema"], "tandem.calibration/1");
  EXPECT_EQ(document["exit_code"], finished.code);
  ASSERT_EQ(document["benchmarks"].size(), 3u);
  for (const json& one : document["benchmarks"]) {
    EXPECT_GE(one["noise"]["launches"], 1) << "how many fit into the time is the host's affair";
    // All launches may agree to the last digit, so the noise may be exactly 0.
    EXPECT_GE(one["noise"]["sigma"], 0.0);
    EXPECT_GT(one["seconds"], 0.0);
    EXPECT_GT(one["tried"].size(), 3u);
    EXPECT_EQ(one["tried"][0]["arrangement"], one["chosen"]);
    EXPECT_NE(one["host"], "");
  }
}

TEST_F(Calibrate, KeepsWhatItFoundAndShowsItAgain) {
  expect_measured(calibrate({tests::program("several"), "--filter", "short", "--budget", "2"}));
  const auto stored = calibrate({"--stored", "--json"});
  EXPECT_EQ(stored.code, 0) << stored.errors;
  const json document = json::parse(stored.output, nullptr, false);
  ASSERT_EQ(document["calibrations"].size(), 1u) << stored.output;
  EXPECT_EQ(document["calibrations"][0]["watch"], "by hand");
  EXPECT_EQ(document["calibrations"][0]["platform"], "several");
  EXPECT_EQ(document["calibrations"][0]["calibration"]["benchmark"], "short");
  const auto text = calibrate({"several", "--stored"});
  EXPECT_EQ(text.code, 0) << text.errors;
  EXPECT_TRUE(text.output.starts_with("by hand, several, ")) << text.output;
  EXPECT_EQ(calibrate({"another", "--stored"}).output, "no calibration is stored\n");
}

TEST_F(Calibrate, TriesOnlyThePairingThatIsAskedFor) {
  const auto finished =
      calibrate({tests::program("steady"), "--pairing", "alternate", "--budget", "2", "--json"});
  expect_measured(finished);
  const json document = json::parse(finished.output, nullptr, false);
  EXPECT_EQ(document["benchmarks"][0]["chosen"]["pairing"], "alternate") << finished.output;
  const auto impossible = calibrate({tests::program("plain"), "--pairing", "duet", "--budget", "1"});
  EXPECT_EQ(impossible.code, 2);
  EXPECT_NE(impossible.errors.find("--pairing duet is not possible"), std::string::npos) << impossible.errors;
}

TEST_F(Calibrate, MeasuresWholeProcessesToo) {
  const auto finished = calibrate({tests::program("plain"), "--budget", "3", "--json"});
  expect_measured(finished);
  const json document = json::parse(finished.output, nullptr, false);
  ASSERT_EQ(document["benchmarks"].size(), 1u) << finished.output;
  EXPECT_TRUE(document["benchmarks"][0]["chosen"]["pairing"].get<std::string>().starts_with("process"));
  EXPECT_TRUE(document["benchmarks"][0]["recovered"].is_null());
}

TEST_F(Calibrate, HasAProgramOfItsOwn) {
  const auto finished = calibrate({"--filter", "compute", "--budget", "2"});
  expect_measured(finished);
  EXPECT_TRUE(finished.output.starts_with("compute: ")) << finished.output;
  EXPECT_NE(finished.output.find("\nhost: noise floor "), std::string::npos) << finished.output;
}

TEST_F(Calibrate, ExitsWithFourWhenTheProgramFails) {
  const auto finished = calibrate({tests::program("crashes"), "--budget", "2"});
  EXPECT_EQ(finished.code, 4) << finished.output << finished.errors;
  EXPECT_NE(finished.output.find(": failed: control "), std::string::npos) << finished.output;
}

TEST_F(Calibrate, NamesADirectoryThatTakesNothingWithoutItsEscapes) {
  const fs::path foreign = directory_.path() / "letters\x1b[31m\xc2\x9b 31m";
  fs::create_directories(foreign / "mine");
  const auto finished =
      calibrate_with({tests::program("crashes"), "--budget", "1"}, {"TANDEM_STATE_DIR=" + foreign.string()});
  EXPECT_NE(finished.errors.find("not kept"), std::string::npos) << finished.errors;
  EXPECT_NE(finished.errors.find("letters"), std::string::npos) << finished.errors;
  EXPECT_EQ(finished.errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(finished.errors.find("\xc2\x9b"), std::string::npos);
}

TEST_F(Calibrate, RefusesWhatIsNoProgramOrBenchmark) {
  EXPECT_EQ(calibrate({"/does/not/exist"}).code, 2);
  const auto nothing = calibrate({tests::program("several"), "--filter", "none", "--budget", "1"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.errors.find("no benchmark contains \"none\""), std::string::npos) << nothing.errors;
}

}  // namespace
}  // namespace tandem::daemon
