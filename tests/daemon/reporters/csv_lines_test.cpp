#include "daemon/harness/result_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

TEST(CsvLines, HaveTheseColumns) {
  EXPECT_EQ(
      csv_heading(),
      "id,time,run_type,platform,framework,backend,model,metric_group,identifier,commit,commit_time,"
      "control_commit,type,metric,unit,values,launches,"
      "mean,p0,p10,p50,p90,p100,stdev,MAD,cv,"
      "control_mean,control_p0,control_p10,control_p50,control_p90,control_p100,control_stdev,control_MAD,"
      "control_cv,diff_mean,diff_p0,diff_p10,diff_p50,diff_p90,diff_p100,diff_stdev,diff_MAD,diff_cv,"
      "further,verdict,ratio,low,high,regressed,failure\n");
}

TEST(CsvLines, AreOneForEachSeries) {
  RunRecord run = sample_run();
  run.series.erase(run.series.begin());
  run.statistics = {"p25", "p99.9"};
  run.series[0].values = {0.25, 0.75};
  EXPECT_EQ(csv_lines(run),
            "run-1,2024-01-08T10:00:00Z,benchmark,cpu0-3,pytorch,cpu,squeezenet,delay,squeezenet-1.1,abc123,"
            "2024-01-05T09:00:00Z,,ID_0_Conv,latency,ms,2,1,0.5,0.25,0.3,0.5,0.7,0.75,0.25,0.25,0.5,"
            ",,,,,,,,,,,,,,,,,,p25=0.375 p99.9=0.7495,,,,,,\n");
}

TEST(CsvLines, HaveTheControlTheVerdictAndEveryDigit) {
  RunRecord run = sample_comparison();
  run.series.pop_back();
  run.series[0].values = {0.1 + 0.2};
  run.series[0].control_values = std::vector<double>{1e-9};
  const std::string line = csv_lines(run);
  EXPECT_NE(line.find(",NET,latency,ms,1,1,0.30000000000000004,"), std::string::npos) << line;
  EXPECT_NE(line.find(",0ld,"), std::string::npos) << line;
  EXPECT_NE(line.find(",1e-09,"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(",,slower,1.3,1.25,1.375,1,\n")) << line;
}

TEST(CsvLines, QuoteCommasQuotesAndLineEnds) {
  RunRecord run = sample_run();
  run.series.resize(1);
  run.model = "a,b";
  run.identifier = "say \"hi\"";
  run.failure = "it broke\nin two";
  const std::string line = csv_lines(run);
  EXPECT_NE(line.find(",\"a,b\",delay,\"say \"\"hi\"\"\","), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(",\"it broke\nin two\"\n")) << line;
}

TEST(CsvLines, SayThatARunWithoutResultsFailed) {
  RunRecord run = sample_run();
  run.series.clear();
  run.failure = "it crashed";
  const std::string line = csv_lines(run);
  EXPECT_TRUE(line.ends_with(",it crashed\n")) << line;
  const std::string heading = csv_heading();
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(heading.begin(), heading.end(), ','));
}

}  // namespace
}  // namespace tandem::daemon::harness
