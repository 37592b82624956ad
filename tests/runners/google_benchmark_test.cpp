#include "runners/adapter_reading.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;
const ResultAdapter& google = *find_adapter("google_benchmark");

std::vector<Series> read(std::string_view output) {
  return tests::read_as("google_benchmark", output);
}

std::string error_in(std::string_view output) {
  return tests::error_as("google_benchmark", output);
}

std::string report(const std::string& rows) {
  return "{\n  \"context\": {\"date\": \"x\", \"caches\": [{\"size\": 1}]},\n  \"benchmarks\": [" + rows +
         "]\n}\n";
}

std::string row(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name + R"(", "run_type": "iteration", )" + more +
         "}";
}

TEST(GoogleBenchmark, ConvertsEveryTimeUnitToNanoseconds) {
  const auto series = read(report(row("a", R"("real_time": 2, "cpu_time": 1, "time_unit": "ns")") + "," +
                                  row("b", R"("real_time": 2, "cpu_time": 1, "time_unit": "us")") + "," +
                                  row("c", R"("real_time": 2, "cpu_time": 1, "time_unit": "ms")") + "," +
                                  row("d", R"("real_time": 2, "cpu_time": 1, "time_unit": "s")")));
  ASSERT_EQ(series.size(), 8u);
  EXPECT_EQ(tests::find_series(series, "a", "time")->values, Values{2});
  EXPECT_EQ(tests::find_series(series, "b", "time")->values, Values{2e3});
  EXPECT_EQ(tests::find_series(series, "c", "cpu_time")->values, Values{1e6});
  EXPECT_EQ(tests::find_series(series, "d", "time")->values, Values{2e9});
  EXPECT_EQ(tests::find_series(series, "d", "time")->metric.unit, "ns");
}

TEST(GoogleBenchmark, KeepsRepetitionsAndPassesAggregatesOver) {
  const std::string once = R"("real_time": 5, "cpu_time": 4, "time_unit": "ns", "repetition_index": 0)";
  const std::string again = R"("real_time": 7, "cpu_time": 4, "time_unit": "ns", "repetition_index": 1)";
  const std::string mean =
      R"({"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean",
                              "real_time": 6, "cpu_time": 4, "time_unit": "ns"})";
  const auto series = read(report(row("a", once) + "," + row("a", again) + "," + mean));
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(tests::find_series(series, "a", "time")->values, (Values{5, 7}));
}

TEST(GoogleBenchmark, TakesTheMedianElseTheMeanWhereOnlyAggregatesWerePrinted) {
  const auto aggregate = [](const std::string& name, const std::string& kind, int time) {
    return R"({"name": ")" + name + "_" + kind + R"(", "run_name": ")" + name +
           R"(", "run_type": "aggregate", "aggregate_name": ")" + kind + R"(", "real_time": )" +
           std::to_string(time) + R"(, "cpu_time": 1, "time_unit": "ns"})";
  };
  const auto series = read(report(aggregate("a", "mean", 9) + "," + aggregate("a", "median", 8) + "," +
                                  aggregate("a", "stddev", 1) + "," + aggregate("b", "mean", 3)));
  EXPECT_EQ(tests::find_series(series, "a", "time")->values, Values{8});
  EXPECT_EQ(tests::find_series(series, "b", "time")->values, Values{3});
}

TEST(GoogleBenchmark, ReadsRatesAndCountersWithTheirDirection) {
  const auto series = read(
      report(row("a", R"("real_time": 5, "cpu_time": 4, "time_unit": "ns", "iterations": 100, "threads": 1,
                 "items_per_second": 7, "bytes_per_second": 8, "misses": 9, "label": "x", "broken": NaN)")));
  EXPECT_EQ(series.size(), 5u);
  EXPECT_EQ(tests::find_series(series, "a", "items_per_second")->metric.direction,
            specs::Direction::higher_is_better);
  EXPECT_EQ(tests::find_series(series, "a", "bytes_per_second")->metric.unit, "B/s");
  EXPECT_EQ(tests::find_series(series, "a", "misses")->metric.direction, specs::Direction::lower_is_better);
  EXPECT_EQ(tests::find_series(series, "a", "misses")->values, Values{9});
}

TEST(GoogleBenchmark, IsFoundInOtherTextMoreThanOnce) {
  const std::string first = report(row("a", R"("real_time": 5, "cpu_time": 4, "time_unit": "ns")"));
  const std::string second = report(row("a", R"("real_time": 6, "cpu_time": 4, "time_unit": "ns")"));
  const auto series = read("loading {x}\n" + first + "between \"context\" }{\n" + second + "done\n");
  EXPECT_EQ(tests::find_series(series, "a", "time")->values, (Values{5, 6}));
}

TEST(GoogleBenchmark, IsAbsentFromOrdinaryOutput) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("{\"context\": {\"a\": [1, 2]}, \"rows\": []}\n").empty());
  EXPECT_TRUE(read("{\"context\": ").empty());
  EXPECT_TRUE(read("BM_a 5 ns 4 ns 100\n").empty());
}

TEST(GoogleBenchmark, SaysWhichBenchmarkReportsAnError) {
  EXPECT_EQ(error_in(report(row("a<int>/8", R"("error_occurred": true, "error_message": "no\ndata",
                                               "real_time": 0, "time_unit": "ns")"))),
            "Google Benchmark's JSON in the output says of a<int>/8 that an error occurred: no data");
}

TEST(GoogleBenchmark, PassesSkippedBenchmarksOver) {
  EXPECT_TRUE(read(report(row("a", R"("skipped": true, "skip_message": "no GPU")"))).empty());
}

TEST(GoogleBenchmark, RefusesWhatIsCutOrHasNoTime) {
  const std::string whole = report(row("a", R"("real_time": 5, "cpu_time": 4, "time_unit": "ns")"));
  EXPECT_EQ(error_in(whole.substr(0, whole.size() - 4)), "Google Benchmark's JSON in the output has no end");
  EXPECT_NE(error_in(report(row("a", R"("real_time": 5, "time_unit": "weeks")"))), "");
  EXPECT_NE(error_in(report(row("a", R"("real_time": NaN, "time_unit": "ns")"))), "");
  EXPECT_NE(error_in(report("7")), "");
  EXPECT_NE(error_in(report(row("", R"("real_time": 5, "time_unit": "ns")"))), "");
}

TEST(GoogleBenchmarkList, HasOneNamePerLine) {
  EXPECT_EQ(std::get<std::vector<std::string>>(google.read_list("a/8\r\nb<int, 2>\n\n")),
            (std::vector<std::string>{"a/8", "b<int, 2>"}));
  EXPECT_TRUE(std::holds_alternative<std::string>(google.read_list("a\n\x1b[31mred\n")));
}

TEST(GoogleBenchmarkArguments, SelectExactlyOneNameWhateverItHolds) {
  EXPECT_EQ(google.run_arguments("BM_a<int>(x.y)/8[2]").back(),
            R"(--benchmark_filter=^BM_a<int>\(x\.y\)/8\[2]$)");
  EXPECT_EQ(google.run_arguments(""), (std::vector<std::string>{"--benchmark_format=json"}));
}

}  // namespace
}  // namespace tandem::runners
