#include "daemon/harness/run_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

TEST(SeriesStatistics, AddsWhatTheRunAsksForToTheUsualOnes) {
  RunRecord run = sample_run();
  run.statistics = {"p99", "mean", "p99"};
  const auto summary = statistics_of(run, series_of("NET", "latency", {0, 100})).treatment;
  EXPECT_EQ(summary.size(), analysis::usual_statistics().size() + 1);
  EXPECT_EQ(statistic(summary, "p99"), 99);
}

TEST(SeriesStatistics, OfTheProgramWin) {
  ReportedSeries series = series_of("NET", "latency", {1, 2, 3});
  series.own_summary = {{"mean", 40}, {"warmup", 7}, {"stdev", std::nan("")}};
  const auto summary = statistics_of(sample_run(), series).treatment;
  EXPECT_EQ(statistic(summary, "mean"), 40);
  EXPECT_EQ(statistic(summary, "warmup"), 7);
  EXPECT_EQ(statistic(summary, "p50"), 2);
  EXPECT_EQ(statistic(summary, "stdev"), std::sqrt(2.0 / 3));
}

TEST(SeriesStatistics, OfTheProgramAloneHaveADifferenceToo) {
  ReportedSeries series = series_of("NET", "latency", {});
  series.own_summary = {{"mean", 4}, {"p10", 3}, {"p90", 6}, {"only", 1}};
  series.own_control_summary = {{"mean", 3}, {"p10", 2}, {"p90", 5}};
  const auto all = statistics_of(sample_run(), series);
  EXPECT_EQ(all.difference, (analysis::Summary{{"mean", 1}, {"p10", -2}, {"p90", 4}}));
}

TEST(SeriesStatistics, OfTheProgramReplaceThoseOfTheValuesInTheDifference) {
  ReportedSeries series = series_of("NET", "latency", {1, 2, 3});
  series.control_values = std::vector<double>{1, 1, 1};
  series.own_summary = {{"mean", 40}};
  const auto all = statistics_of(sample_run(), series);
  EXPECT_EQ(statistic(all.difference, "mean"), 39);
  EXPECT_EQ(statistic(all.difference, "p50"), 1);
}

TEST(SeriesStatistics, SayNothingAboutValuesThatAreNoNumbers) {
  const auto all = statistics_of(sample_run(), series_of("NET", "latency", {1, std::nan("")}));
  EXPECT_TRUE(all.treatment.empty());
  EXPECT_TRUE(all.control.empty());
}

TEST(SeriesKeys, AreAllDifferent) {
  RunRecord run = sample_run();
  run.series = {series_of("a b", "c", {}), series_of("a", "b c", {}), series_of("a b c", "(2)", {}),
                series_of("a", "b c", {})};
  EXPECT_EQ(keys_of(run), (std::vector<std::string>{"a b c", "a b c (2)", "a b c (2) (2)", "a b c (3)"}));
}

}  // namespace
}  // namespace tandem::daemon::harness
