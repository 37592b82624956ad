#include "daemon/report/status_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/report/golden.hpp"
#include "daemon/report/sample_record.hpp"
#include "specs/foundation/error.hpp"

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
  status.unconfirmed = {{"9f8e7d6c5b4a3928", "softmax/1000", tests::sample_commit('2', "").id,
                         "lld was killed by signal 9 (Killed)", 2, 6}};
  status.noise_floor["conv2d"] = {0.004, 0.0125, "duet", {}};
  status.noise_floor["softmax/1000"] = {0.02, 0.1, {}, {}};
  status.false_records = {0.0021, 0.031, 1260, 0.0167, 1200, 1190, 2};
  status.environment_changes = {{1'704'600'000, "the kernel changed from 6.1.0 to 6.2.0"}};
  status.notices = {{1'704'610'000, "conv2d costs 0.8 % more since a commit after 11111111"}};
  status.drift = {
      {"pebble", "linux", "conv2d", "month", tests::sample_commit('1', "").id, status.commit.id, 1.008}};
  status.requests = {{7, "measure", "pebble", tests::sample_commit('5', "").id, "mira", 1'704'697'920}};
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

TEST(StatusReport, SaysWhenAnUnconfirmedSuspectIsNotTriedAgain) {
  Status status = sample_status();
  status.unconfirmed.front().tries = status.unconfirmed.front().most_tries;
  const std::string text = status_text(status_json(status));
  EXPECT_NE(text.find("could not be confirmed, tried 6 times and no more: "), std::string::npos) << text;
}

TEST(StatusReport, ShowsHowFarACalibrationIs) {
  Status status = sample_status();
  status.commit = {};
  status.phase = "calibrating";
  EXPECT_EQ(status_line(status), "calibrating softmax/1000: launch 7 of about 66");
  EXPECT_NE(status_text(status_json(status)).find("  softmax/1000: launch 7 of about 66\n"),
            std::string::npos);
}

TEST(StatusReport, ShowsWhatIsDoneAtTheTip) {
  Status status = sample_status();
  status.commit = {};
  status.idle_work = "softmax/1000 next to itself";
  EXPECT_EQ(status_line(status), "softmax/1000 next to itself: launch 7 of at most 66");
  EXPECT_NE(status_text(status_json(status)).find("  softmax/1000 next to itself: launch 7 of at most 66\n"),
            std::string::npos);
}

TEST(StatusReport, ShowsARegressionFromNothing) {
  Status status = sample_status();
  for (const double ratio :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    status.open_regressions.front().ratio = ratio;
    const std::string json = status_json(status);
    EXPECT_TRUE(nlohmann::json::parse(json)["open_regressions"][0]["ratio"].is_null());
    EXPECT_NE(status_text(json).find("matmul since 22222222, from 0\n"), std::string::npos)
        << status_text(json);
  }
}

TEST(StatusReport, TellsHowFarTheSearchForACulpritIs) {
  Status status = sample_status();
  status.search = "matmul among 12 commits, 3 measurements";
  const std::string words = "looking for the culprit: matmul among 12 commits, 3 measurements";
  EXPECT_NE(status_line(status).find(words), std::string::npos) << status_line(status);
  EXPECT_NE(status_text(status_json(status)).find("  " + words + "\n"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(status_json(status))["search"], status.search);
  status.commit = {};
  EXPECT_NE(status_line(status).find(words), std::string::npos) << status_line(status);
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
