// What stands around a run: its samples, labels, `--info` and the table of models and backends.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "daemon/harness/run_labels.hpp"
#include "daemon/harness/run_tables.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

runners::Sampled printed(const std::string& benchmark, const std::string& metric, std::vector<double> control,
                         std::vector<double> treatment) {
  runners::Sampled sampled{benchmark, {metric, "us", specs::Direction::lower_is_better}, {}};
  sampled.launch.control = std::move(control);
  sampled.launch.treatment = std::move(treatment);
  return sampled;
}

TEST(RunSamples, KeepTenRowsOfTheNetAndThirtyOfItsOperators) {
  RunSamples samples;
  samples.add({printed("NET latency", "latency", {}, std::vector<double>(10, 5.0)),
               printed("ID_0_Conv latency", "latency", {}, std::vector<double>(10, 1.0)),
               printed("ID_1_Relu latency", "latency", {}, std::vector<double>(10, 2.0)),
               printed("ID_2_Pool latency", "latency", {}, std::vector<double>(10, 3.0))});
  std::size_t all = 0;
  for (const auto& kept : samples.kept()) all += kept.series.values.size();
  EXPECT_EQ(all, 40u);
  EXPECT_EQ(samples.counted(), 10u);
  EXPECT_EQ(samples.kept()[1].series.type, "ID_0_Conv");
}

TEST(RunSamples, CountTheLongestSeriesWhereThereIsNoNet) {
  RunSamples samples;
  samples.add({printed("a time", "time", {1}, {1}), printed("b time", "time", {1, 2}, {1, 2, 3})});
  EXPECT_EQ(samples.counted(), 3u);
}

TEST(RunSamples, KeepTheOrderInWhichValuesCame) {
  RunSamples samples;
  samples.add({printed("NET latency", "latency", {1, 2}, {3})});
  samples.add({printed("NET latency", "latency", {4}, {5, 6})});
  EXPECT_EQ(samples.kept()[0].series.values, (std::vector<double>{3, 5, 6}));
  EXPECT_EQ(*samples.kept()[0].series.control_values, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(samples.kept()[0].series.launches, 2u);
}

TEST(RunSamples, AProgramsOwnSummaryCountsForOneLaunchOnly) {
  RunSamples samples;
  auto once = printed("NET latency", "latency", {}, {5});
  once.treatment_remarks.summary = {{"p50", 4.5}};
  once.treatment_remarks.info_string = "int8";
  samples.add({once});
  EXPECT_EQ(samples.kept()[0].series.own_summary.at("p50"), 4.5);
  samples.add({once});
  EXPECT_TRUE(samples.kept()[0].series.own_summary.empty());
  EXPECT_EQ(samples.kept()[0].series.info_string, "int8");
}

TEST(RunInfo, ReadsBothBuildsWithTheirPrograms) {
  const tests::TemporaryDirectory directory;
  const fs::path program = directory.path() / "bench";
  const fs::path tool = directory.path() / "convert";
  std::ofstream(program) << "x";
  std::ofstream(tool) << "x";
  const std::string location = "{\"location\": \"" + program.string() + "\"}";
  const RunInfo info = read_run_info(
      R"({"treatment": {"commit": "t", "commit_time": 5, "programs": {"program": )" + location +
      R"(, "convert": {"location": ")" + tool.string() + R"("}}, "string_map": {"A": 1}, "version": 3},)" +
      R"("control": {"commit": "c", "program": ")" + program.string() + R"("}, "run_type": "verify",)" +
      R"("regressed_types": ["NET"], "user": "me", "regression_commits": []})");
  EXPECT_EQ(info.treatment->commit, "t");
  EXPECT_EQ(info.treatment->commit_time, 5);
  EXPECT_EQ(info.treatment->program, program);
  EXPECT_EQ(info.treatment->programs.at("convert"), tool);
  EXPECT_EQ(info.treatment->string_map.at("A"), "1");
  EXPECT_EQ(info.treatment->version, "3");
  EXPECT_EQ(info.control->program, program);
  EXPECT_EQ(info.run_type, "verify");
  EXPECT_EQ(info.regressed_types, std::vector<std::string>{"NET"});
  EXPECT_EQ(info.user, "me");
}

TEST(RunInfo, MayStandInAFile) {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory.path() / "info.json";
  std::ofstream(file) << R"({"treatment": {"commit": "0123abcd"}})";
  EXPECT_EQ(read_run_info(file.string()).treatment->commit, "0123abcd");
}

TEST(RunInfo, SaysWhereItIsWrong) {
  const auto message = [](const std::string& text) {
    try {
      static_cast<void>(read_run_info(text));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message(R"({"treatment": {"program": "/no/such/file"}})"),
            "--info:1:27: /treatment/program: there is no such file; write the path of a program");
  EXPECT_NE(message(R"({"treatment": {}})").find("names neither a program nor a commit"), std::string::npos);
  EXPECT_NE(message(R"({"control": {"commit": "a"}})").find("control without a treatment"),
            std::string::npos);
  EXPECT_NE(message(R"({"treatment": {"commit": "a"}, "run_type": "x"})").find("/run_type"),
            std::string::npos);
}

Test named_test() {
  Test test;
  test.spec.model = "squeezenet";
  test.spec.metric = "delay";
  test.spec.identifier = "net";
  return test;
}

TEST(RunLabels, MarkWhatIsCalledRegressed) {
  RunSamples samples;
  samples.add({printed("NET latency", "latency", {1}, {2}), printed("ID_0 latency", "latency", {1}, {2})});
  TestRun run;
  run.series = samples.kept();
  RunLabels labels;
  labels.regressed_types = {"NET"};
  const auto record = record_of(named_test(), run, {"t", 1}, daemon::ReportedBuild{"c", 0}, labels);
  EXPECT_TRUE(record.series[0].regressed);
  EXPECT_FALSE(record.series[1].regressed);
  EXPECT_EQ(record.model, "squeezenet");
  EXPECT_EQ(record.framework, "generic");
  EXPECT_EQ(record.control->commit, "c");
  EXPECT_FALSE(record.platform.empty());
}

TEST(RunLabels, GiveEveryRecordAnIdOfItsOwn) {
  const auto id = [] { return record_of(named_test(), {}, {"t", 1}, std::nullopt, {}).id; };
  EXPECT_EQ(id().size(), 32u);
  EXPECT_NE(id(), id());
}

TEST(RunLabels, ShowNoSecrets) {
  EXPECT_EQ(without_secrets({"tandem", "run", "--remote_access_token", "abc", "x"}),
            (std::vector<std::string>{"tandem", "run", "--remote_access_token", "…", "x"}));
  EXPECT_EQ(without_secrets({"--remote-access-token=abc"})[0], "--remote-access-token=…");
}

TEST(RunLabels, ReadTheTokenFromAFileThatOnlyItsOwnerCanRead) {
  const tests::TemporaryDirectory directory;
  config::HarnessSettings settings;
  settings.remote_reporter = "http://127.0.0.1:1/x|perf";
  settings.remote_access_token_file = directory.path() / "token";
  EXPECT_THROW(static_cast<void>(reporters_of(settings, directory.path())), InputError) << "there is none";
  std::ofstream(settings.remote_access_token_file) << "secret\n";
  ::chmod(settings.remote_access_token_file.c_str(), 0644);
  EXPECT_THROW(static_cast<void>(reporters_of(settings, directory.path())), InputError)
      << "others can read it";
  ::chmod(settings.remote_access_token_file.c_str(), 0600);
  EXPECT_EQ(reporters_of(settings, directory.path()).remote_access_token, "secret");
}

TEST(RunMatrix, SetsModelsAgainstPlatforms) {
  const auto record = [](const std::string& model, const std::string& backend, double value) {
    daemon::RunRecord one;
    one.model = model;
    one.identifier = "net";
    one.platform = "host";
    one.backend = backend;
    if (value > 0) {
      daemon::ReportedSeries series;
      series.type = "NET";
      series.unit = "us";
      series.values = {value};
      one.series.push_back(series);
    }
    return one;
  };
  EXPECT_EQ(matrix_text({record("alexnet", "mkl", 12.5), record("resnet50", "mkl", 90),
                         record("alexnet", "eigen", 0)}),
            "              host mkl  host eigen\n"
            "alexnet net    12.5 us      failed\n"
            "resnet50 net     90 us           -\n");
}

}  // namespace
}  // namespace tandem::daemon::harness
