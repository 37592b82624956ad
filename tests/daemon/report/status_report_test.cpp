#include "daemon/report/status_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/report/golden.hpp"
#include "daemon/report/sample_record.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::report {
namespace {

Status sample_status() {
  Status status;
  status.version = "0.1.0";
  status.pid = 4321;
  status.phase = "measuring";
  status.watch = "pebble";
  status.platform = "linux";
  status.url = "https://example.org/pebble.git";
  status.branch = "main";
  status.commit = tests::sample_commit('4', "Keep rows of softmax in vectors");
  status.benchmark = "softmax/1000";
  status.launch = 7;
  status.most_launches = 66;
  status.commits_done = 2;
  status.commits_left = 3;
  status.seconds_left = 41.6;
  status.isolation = "weak";
  status.last_verdicts = {{"linux", status.commit.id, "conv2d", "unchanged", "unchanged within 1 %"},
                          {"linux", status.commit.id, "matmul", "identical", "to the control"}};
  status.failed_builds = {{"linux", tests::sample_commit('3', "").id, "source",
                           "build.sh exited with status 1", "/state/logs/build.log",
                           "net.cpp:3: error: no such file\nmake: stopped"}};
  status.open_regressions = {{"1a2b3c4d5e6f7a8b", "matmul", tests::sample_commit('2', "").id, 1.0825}};
  status.noise_floor["conv2d"] = {0.004, 0.0125, "duet", {}};
  status.noise_floor["softmax/1000"] = {0.02, 0.1, {}, {}};
  status.last_error = "the host example.org cannot be reached";
  status.last_error_at = 1'704'705'000;
  status.updated_at = 1'704'705'120;
  return status;
}

TEST(StatusReport, WritesEveryFieldAsJson) {
  tests::expect_golden(status_json(sample_status()), "status.json");
}

TEST(StatusReport, TellsAPersonWhatIsGoingOn) {
  tests::expect_golden(status_text(status_json(sample_status())), "status.txt");
}

TEST(StatusReport, LeavesOutWhatIsNotKnown) {
  Status status;
  status.phase = "waiting";
  status.watch = "pebble";
  status.branch = "main";
  status.url = "https://example.org/pebble.git";
  status.updated_at = 1'704'705'120;
  const auto document = nlohmann::json::parse(status_json(status));
  EXPECT_TRUE(document["commit"].is_null());
  EXPECT_TRUE(document["progress"]["seconds_left"].is_null());
  EXPECT_TRUE(document["last_error"].is_null());
  EXPECT_EQ(document["open_regressions"].size(), 0u);
  tests::expect_golden(status_text(status_json(status)), "status_idle.txt");
}

TEST(StatusReport, SurvivesTextsThatAreNotUtf8) {
  Status status = sample_status();
  status.last_error = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::parse(status_json(status), nullptr, false).is_object());
}

TEST(StatusReport, SaysLoudlyWhatIsNotRecorded) {
  Status status = sample_status();
  status.noise_floor["conv2d"].unfit = "nothing measures it soundly on this host: duet: one slot is slower";
  status.unfit = "2 of 3 benchmarks cannot be measured soundly on this host";
  const std::string text = status_text(status_json(status));
  EXPECT_NE(
      text.find(
          "UNFIT HOST, nothing is recorded: 2 of 3 benchmarks cannot be measured soundly on this host\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("UNFIT, its changes are not recorded: conv2d: nothing measures it soundly"),
            std::string::npos)
      << text;
  EXPECT_EQ(nlohmann::json::parse(status_json(status))["unfit"], status.unfit);
}

TEST(StatusReport, ShowsHowFarACalibrationIs) {
  Status status = sample_status();
  status.commit = {};
  status.phase = "calibrating";
  EXPECT_EQ(status_line(status), "calibrating softmax/1000: launch 7 of about 66");
  EXPECT_NE(status_text(status_json(status)).find("  softmax/1000: launch 7 of about 66\n"),
            std::string::npos);
}

class ForeignStatus : public testing::TestWithParam<const char*> {};

TEST_P(ForeignStatus, IsRefused) {
  EXPECT_THROW(static_cast<void>(status_text(GetParam())), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ForeignStatus,
    testing::Values("", "{", "[]", "null", "{}", R"({"schema": "tandem.status/2"})",
                    R"({"schema": "tandem.status/1"})",
                    R"({"schema": "tandem.status/1", "commit": {}, "progress": 1})",
                    R"({"schema": "tandem.status/1", "commit": null, "open_regressions": [1]})"));

TEST(StatusLine, SaysTheCommitAndHowFarItIs) {
  EXPECT_EQ(status_line(sample_status()),
            "[3/5] 44444444 measuring softmax/1000: 7 of at most 66, about 42 s left");
  Status status = sample_status();
  status.phase = "building";
  status.seconds_left = -1;
  EXPECT_EQ(status_line(status), "[3/5] 44444444 building");
  status.commit = {};
  status.phase = "fetching";
  EXPECT_EQ(status_line(status), "fetching");
}

}  // namespace
}  // namespace tandem::daemon::report
