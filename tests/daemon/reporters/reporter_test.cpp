#include "daemon/harness/reporter.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "daemon/harness/run_tables.hpp"
#include "specs/foundation/error.hpp"
#include "tests/daemon/reporters/sample_run.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Reporters, WriteEverywhereTheyAreAskedTo) {
  const tests::TemporaryDirectory home;
  char* printed = nullptr;
  std::size_t length = 0;
  ReporterSurroundings surroundings;
  surroundings.screen = ::open_memstream(&printed, &length);
  ReporterSettings settings;
  settings.local_reporter = home.path() / "local";
  settings.simple_local_reporter = home.path() / "simple";
  settings.csv_reporter = home.path() / "results.csv";
  settings.json_lines_reporter = home.path() / "results.jsonl";
  settings.screen_reporter = true;
  Reporters reporters(settings, surroundings);
  EXPECT_TRUE(reporters.report(sample_run()).empty());
  EXPECT_TRUE(reporters.report(sample_comparison()).empty());
  std::fclose(surroundings.screen);
  EXPECT_EQ(std::string(printed, length), screen_text(sample_run()) + screen_text(sample_comparison()));
  std::free(printed);

  const fs::path runs =
      settings.local_reporter / "cpu0-3/pytorch/squeezenet/delay/squeezenet-1.1/2024/1/5/abc123";
  EXPECT_EQ(names_in(runs), (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(fs::exists(settings.simple_local_reporter / "squeezenet-1.1/data.txt"));
  const std::string table = content(settings.csv_reporter);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_EQ(reporters.deliver({}), std::nullopt);
  EXPECT_EQ(reporters.waiting(), 0u);
}

TEST(Reporters, WriteARunToALine) {
  const tests::TemporaryDirectory home;
  ReporterSettings settings;
  settings.json_lines_reporter = home.path() / "results.jsonl";
  Reporters reporters(settings);
  RunRecord run = sample_run();
  run.model = "two\nlines \xff";
  run.series = {series_of("NET", "latency", {1.5})};
  run.host.clear();
  run.command.clear();
  EXPECT_TRUE(reporters.report(run).empty());
  EXPECT_EQ(
      content(settings.json_lines_reporter),
      R"({"id":"run-1","meta":{"id":"run-1","backend":"cpu","time":1704708000.25,"framework":"pytorch",)"
      R"("platform":"cpu0-3","command":[],"command_str":"","net_name":"two\nlines �","metric":"delay",)"
      R"("identifier":"squeezenet-1.1","commit":"abc123","commit_time":1704445200,"run_type":"benchmark",)"
      R"("host":{}},"data":{"NET latency":{"type":"NET","metric":"latency","unit":"ms","values":[1.5],)"
      R"("num_runs":1,"summary":{"mean":1.5,"p0":1.5,"p10":1.5,"p50":1.5,"p90":1.5,"p100":1.5,"stdev":0.0,)"
      R"("MAD":0.0,"cv":0.0}}}})"
      "\n");
}

TEST(Reporters, GoOnWhereOneFails) {
  const tests::TemporaryDirectory home;
  ReporterSettings settings;
  settings.local_reporter = home.path() / "local";
  settings.csv_reporter = home.path() / "results.csv";
  settings.json_lines_reporter = home.path() / "results.jsonl";
  Reporters reporters(settings);
  std::ofstream(settings.local_reporter) << "in the way";
  std::ofstream(settings.csv_reporter) << "other columns\n";
  const auto failures = reporters.report(sample_run());
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_TRUE(failures[0].starts_with("--local_reporter: cannot make ")) << failures[0];
  EXPECT_TRUE(failures[1].starts_with("--csv_reporter: ")) << failures[1];
  EXPECT_EQ(json::parse(content(settings.json_lines_reporter))["id"], "run-1");
}

TEST(Reporters, KeepAllFortyValuesOfTenIterationsWithThreeOperators) {
  const tests::TemporaryDirectory home;
  ReporterSettings settings;
  settings.json_lines_reporter = home.path() / "results.jsonl";
  Reporters reporters(settings);
  RunRecord run = sample_run();
  run.series.clear();
  for (const char* type : {"NET", "ID_0_Conv", "ID_1_Relu", "ID_2_Pool"})
    run.series.push_back(series_of(type, "latency", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_TRUE(reporters.report(run).empty());
  std::size_t values = 0;
  const json line = json::parse(content(settings.json_lines_reporter));
  for (const auto& series : line["data"]) values += series["values"].size();
  EXPECT_EQ(values, 40u);
}

std::string refusal(const ReporterSettings& settings) {
  try {
    check(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReporterSettings, AreCheckedWithSentencesThatNameTheFlag) {
  const tests::TemporaryDirectory home;
  const fs::path file = home.path() / "file";
  std::ofstream(file) << "";
  ReporterSettings settings;
  EXPECT_EQ(refusal(settings), "");
  settings = {.local_reporter = file};
  EXPECT_EQ(refusal(settings), "--local_reporter: " + file.string() + " is not a directory; name one");
  settings = {.simple_local_reporter = file};
  EXPECT_EQ(refusal(settings), "--simple_local_reporter: " + file.string() + " is not a directory; name one");
  settings = {.csv_reporter = home.path()};
  EXPECT_EQ(refusal(settings), "--csv_reporter: " + home.path().string() + " is a directory; name a file");
  settings = {.json_lines_reporter = home.path()};
  EXPECT_EQ(refusal(settings),
            "--json_lines_reporter: " + home.path().string() + " is a directory; name a file");
  settings = {.csv_reporter = file, .json_lines_reporter = file};
  EXPECT_EQ(refusal(settings), "--csv_reporter and --json_lines_reporter name the same file; name two");
  settings = {.remote_reporter = "https://example.org"};
  EXPECT_TRUE(refusal(settings).starts_with("--remote_reporter: ")) << refusal(settings);
  settings = {
      .remote_reporter = "https://example.org|perf", .remote_access_token = "a\nb", .spool = home.path()};
  EXPECT_TRUE(refusal(settings).starts_with("--remote_access_token: ")) << refusal(settings);
  settings = {.remote_reporter = "https://example.org|perf"};
  EXPECT_TRUE(refusal(settings).ends_with("name one with --spool")) << refusal(settings);
  settings = {.remote_reporter = "https://example.org|perf", .spool = home.path()};
  EXPECT_EQ(refusal(settings), "");
  EXPECT_THROW(Reporters({.local_reporter = file}), InputError);
}

}  // namespace
}  // namespace tandem::daemon::harness
