#include "daemon/harness/result_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "specs/foundation/error.hpp"
#include "tests/daemon/reporters/sample_run.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

TEST(LocalReporter, WritesFaiPepsTree) {
  const tests::TemporaryDirectory home;
  const fs::path place = write_local(home.path(), sample_run());
  EXPECT_EQ(place, home.path() / "cpu0-3/pytorch/squeezenet/delay/squeezenet-1.1/2024/1/5/abc123/0");
  EXPECT_EQ(names_in(place), (Names{"ID_0_Conv-latency.txt", "NET-latency.txt", "meta.txt"}));
}

TEST(LocalReporter, WritesOneSeriesToAFile) {
  const tests::TemporaryDirectory home;
  RunRecord run = sample_run();
  run.series[1].values = {0.25, 0.75};
  const fs::path place = write_local(home.path(), run);
  EXPECT_EQ(content(place / "ID_0_Conv-latency.txt"), R"({
  "type": "ID_0_Conv",
  "metric": "latency",
  "unit": "ms",
  "values": [
    0.25,
    0.75
  ],
  "num_runs": 1,
  "summary": {
    "mean": 0.5,
    "p0": 0.25,
    "p10": 0.3,
    "p50": 0.5,
    "p90": 0.7,
    "p100": 0.75,
    "stdev": 0.25,
    "MAD": 0.25,
    "cv": 0.5
  }
}
)");
}

TEST(LocalReporter, WritesWhoMeasuredWhatWhereAndWhen) {
  const tests::TemporaryDirectory home;
  EXPECT_EQ(content(write_local(home.path(), sample_run()) / "meta.txt"), R"({
  "id": "run-1",
  "backend": "cpu",
  "time": 1704708000.25,
  "framework": "pytorch",
  "platform": "cpu0-3",
  "command": [
    "tandem",
    "run",
    "--benchmark_file",
    "my spec.json"
  ],
  "command_str": "tandem run --benchmark_file 'my spec.json'",
  "net_name": "squeezenet",
  "metric": "delay",
  "identifier": "squeezenet-1.1",
  "commit": "abc123",
  "commit_time": 1704445200,
  "run_type": "benchmark",
  "host": {
    "cpu": "Example 9000",
    "governor": "performance"
  }
}
)");
}

TEST(LocalReporter, WritesTheControlAndTheVerdictBesideTheTreatment) {
  const tests::TemporaryDirectory home;
  RunRecord run = sample_comparison();
  run.series[0].info_string = "warm";
  run.series[0].custom_output = {R"({"rows":[1]})", "no JSON"};
  run.user_identifier = "17";
  run.treatment.diff = "D1";
  run.control->version = "2.0";
  const fs::path place = write_local(home.path(), run);
  const json net = json::parse(content(place / "NET-latency.txt"));
  EXPECT_EQ(net["control_values"], json::parse("[0.5,1,0.75]"));
  EXPECT_EQ(net["control_summary"]["p50"], 0.75);
  EXPECT_EQ(net["diff_summary"]["p50"], 0.25);
  EXPECT_EQ(net["diff_summary"]["p0"], 0.8 - 1);
  EXPECT_EQ(net["verdict"], json::parse(R"({"outcome":"slower","ratio":1.3,"low":1.25,"high":1.375})"));
  EXPECT_EQ(net["regressed"], 1);
  EXPECT_EQ(net["info_string"], "warm");
  EXPECT_EQ(net["custom_output"], json::parse(R"([{"rows":[1]},"no JSON"])"));
  const json meta = json::parse(content(place / "meta.txt"));
  EXPECT_EQ(meta["control_commit"], "0ld");
  EXPECT_EQ(meta["control_commit_time"], 1'704'358'800);
  EXPECT_EQ(meta["treatment_diff"], "D1");
  EXPECT_EQ(meta["control_version"], "2.0");
  EXPECT_EQ(meta["user_identifier"], "17");
}

TEST(LocalReporter, NumbersTheRunsOfOneCommit) {
  const tests::TemporaryDirectory home;
  EXPECT_EQ(write_local(home.path(), sample_run()).filename(), "0");
  EXPECT_EQ(write_local(home.path(), sample_run()).filename(), "1");
  const fs::path last = write_local(home.path(), sample_run());
  EXPECT_EQ(last.filename(), "2");
  fs::remove_all(last.parent_path() / "1");
  EXPECT_EQ(write_local(home.path(), sample_run()).filename(), "1");
  EXPECT_EQ(names_in(last.parent_path()), (Names{"0", "1", "2"}));
}

TEST(LocalReporter, GivesSeveralProcessesNumbersOfTheirOwn) {
  const tests::TemporaryDirectory home;
  constexpr int writers = 4;
  constexpr int runs = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < writers; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      RunRecord run = sample_run();
      for (int j = 0; j < runs; ++j) {
        run.id = std::to_string(i) + "-" + std::to_string(j);
        write_local(home.path(), run);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const fs::path all = home.path() / "cpu0-3/pytorch/squeezenet/delay/squeezenet-1.1/2024/1/5/abc123";
  std::set<std::string> ids;
  for (int i = 0; i < writers * runs; ++i) {
    const fs::path place = all / std::to_string(i);
    ASSERT_EQ(names_in(place).size(), 3u) << place;
    ids.insert(json::parse(content(place / "meta.txt"))["id"]);
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(writers * runs));
  EXPECT_EQ(names_in(all).size(), ids.size());
}

TEST(LocalReporter, TakesTheRunsDayWhereTheCommitHasNone) {
  const tests::TemporaryDirectory home;
  for (const std::int64_t claimed :
       {std::int64_t{0}, std::int64_t{-5}, std::numeric_limits<std::int64_t>::max()}) {
    RunRecord run = sample_run();
    run.treatment = {.commit = "", .commit_time = claimed};
    const std::string place = write_local(home.path(), run).parent_path();
    EXPECT_TRUE(place.ends_with("/2024/1/8/unnamed~")) << place;
  }
}

TEST(LocalReporter, StaysInItsDirectoryWhateverThingsAreCalled) {
  const tests::TemporaryDirectory home;
  RunRecord run = sample_run();
  for (std::string* name :
       {&run.platform, &run.framework, &run.model, &run.metric, &run.identifier, &run.treatment.commit}) {
    *name = "../..";
  }
  run.series = {series_of("../../evil", "x/y", {1}), series_of("meta", "", {2}), series_of("", "", {3})};
  const fs::path place = write_local(home.path() / "reports", run);
  EXPECT_EQ(names_in(home.path()), Names{"reports"});
  EXPECT_EQ(place.lexically_relative(home.path() / "reports").begin()->string().substr(0, 2), "_.");
  EXPECT_EQ(names_in(place).size(), 4u);
  EXPECT_EQ(json::parse(content(place / "meta.txt"))["id"], "run-1");
}

TEST(LocalReporter, KeepsKeysApartThatLookAlike) {
  const tests::TemporaryDirectory home;
  RunRecord run = sample_run();
  run.series = {series_of("a b", "c", {1}), series_of("a", "b c", {2}), series_of("a/b", "c", {3}),
                series_of("a-b", "c", {4}), series_of("a-b", "c", {5})};
  const fs::path place = write_local(home.path(), run);
  std::set<double> values;
  for (const std::string& name : names_in(place)) {
    if (name != "meta.txt") values.insert(json::parse(content(place / name))["values"][0].get<double>());
  }
  EXPECT_EQ(values, (std::set<double>{1, 2, 3, 4, 5}));
}

TEST(LocalReporter, LeavesNothingHalfWritten) {
  const tests::TemporaryDirectory home;
  std::ofstream(home.path() / "cpu0-3") << "in the way";
  EXPECT_THROW(write_local(home.path(), sample_run()), Error);
  EXPECT_EQ(names_in(home.path()), Names{"cpu0-3"});
}

TEST(SimpleLocalReporter, ReplacesOnlyItsFile) {
  const tests::TemporaryDirectory home;
  RunRecord run = sample_run();
  EXPECT_EQ(write_simple_local(home.path(), run), home.path() / "squeezenet-1.1/data.txt");
  std::ofstream(home.path() / "squeezenet-1.1/notes.txt") << "mine";
  run.series = {series_of("NET", "latency", {7})};
  write_simple_local(home.path(), run);
  EXPECT_EQ(names_in(home.path() / "squeezenet-1.1"), (Names{"data.txt", "notes.txt"}));
  const json data = json::parse(content(home.path() / "squeezenet-1.1/data.txt"));
  EXPECT_EQ(data.size(), 1u);
  EXPECT_EQ(data["NET latency"]["values"], json::parse("[7.0]"));
  EXPECT_EQ(content(home.path() / "squeezenet-1.1/notes.txt"), "mine");
}

}  // namespace
}  // namespace tandem::daemon::harness
