#include "runners/adapter_reading.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;
using Summary = std::map<std::string, double>;

std::vector<Series> read(std::string_view output, const std::string& identifier = "") {
  return tests::read_as("observer", output, {{"identifier", identifier}});
}

std::string error_in(std::string_view output, const std::string& identifier = "") {
  return tests::error_as("observer", output, {{"identifier", identifier}});
}

std::string line(const std::string& rest) {
  return R"(NetObserver {"type":"NET","metric":"latency","unit":"us",)" + rest + "}\n";
}

TEST(ObserverLines, ReadTheNewFormWithNumbersAsTextOrNumber) {
  const auto series = read(
      "loading\n"
      "PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"unit\":\"us\",\"value\":\"12.5\"}\n"
      "I0101 12:00 x.cc:7] PyTorchObserver "
      "{\"type\":\"NET\",\"metric\":\"latency\",\"unit\":\"us\",\"value\":13}\n"
      "PyTorchObserver {\"type\":\"Conv\",\"metric\":\"gflops\",\"unit\":\"GFLOP/s\",\"value\":7}\n");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].key, "NET latency");
  EXPECT_EQ(series[0].metric.unit, "us");
  EXPECT_EQ(series[0].metric.direction, specs::Direction::lower_is_better);
  EXPECT_EQ(series[0].values, (std::vector<double>{12.5, 13}));
  EXPECT_EQ(series[1].metric.direction, specs::Direction::higher_is_better);
}

TEST(ObserverLines, ReadTheOldFormOfOneObjectPerIteration) {
  const auto series = read(
      "Caffe2Observer {\"NET\": {\"latency\": {\"value\": 5.5, \"unit\": \"ms\"}, \"flops\": {\"value\": 9, "
      "\"unit\": "
      "\"\"}}, \"ID_0_Conv\": {\"latency\": {\"value\": 2}}}\n"
      "Caffe2Observer {\"NET\": {\"latency\": {\"value\": 6.5, \"unit\": \"ms\"}}}\n");
  ASSERT_EQ(series.size(), 3u);
  for (const auto& one : series) {
    if (one.key == "NET latency") {
      EXPECT_EQ(one.values, (std::vector<double>{5.5, 6.5}));
    }
  }
}

TEST(ObserverLines, KeepEveryValueOfTenNetAndThirtyOperatorRows) {
  std::string output;
  for (int i = 0; i < 10; ++i) {
    output += "PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}\n";
    for (const char* name : {"A", "B", "C"}) {
      output +=
          std::string("PyTorchObserver {\"type\":\"") + name + "\",\"metric\":\"latency\",\"value\":2}\n";
    }
  }
  std::size_t values = 0;
  for (const auto& series : read(output)) values += series.values.size();
  EXPECT_EQ(values, 40u);
}

TEST(ObserverLines, AreAbsentFromOrdinaryOutput) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("{\"type\":\"NET\"}\nPyTorchObserver\nPyTorchObserverX {}\n").empty());
}

TEST(ObserverLines, NameTheLineThatCannotBeRead) {
  EXPECT_EQ(error_in("ok\nPyTorchObserver {\"type\":\n"),
            "the object after PyTorchObserver in output line 2 is not valid JSON");
  EXPECT_EQ(error_in("PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"value\":\"fast\"}"),
            "the object after PyTorchObserver in output line 1 has a \"value\" that is not a number");
  EXPECT_NE(error_in("PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"value\":\"nan\"}"), "");
  EXPECT_NE(error_in("Caffe2Observer [1]", "Caffe2Observer"), "");
}

TEST(ObserverLines, TakeAnyWordThatEndsInObserverWhenNoIdentifierIsGiven) {
  const auto series = read(
      "x=1 (TensorObserver {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}\n"
      "Caffe2Observer {\"NET\": {\"latency\": 2}}\r\n"
      "Observer is not {one}\n");
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].values, (Values{1, 2}));
  EXPECT_EQ(error_in("(NetObserver {"), "the object after NetObserver in output line 1 is not valid JSON");
}

TEST(ObserverLines, TakeAnyIdentifierEvenOneThatIsWrittenWithItsSpace) {
  for (const char* identifier : {"Mine", "Mine "}) {
    const auto series = read("Mine {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}", identifier);
    EXPECT_EQ(series.size(), 1u) << identifier;
  }
}

TEST(ObserverRemarks, StandBesideTheValuesOfTheirBenchmark) {
  const auto all =
      read(line(R"("value":1,"info_string":"warm")") +
           line(R"("value":2,"info_string":"warm","num_runs":"7","summary":{"p50":1.5,"cv":null})"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].values, (Values{1, 2})) << "a summary is no value where there are values";
  EXPECT_EQ(all[0].remarks.info_string, "warm");
  EXPECT_EQ(all[0].remarks.summary, (Summary{{"num_runs", 7}, {"p50", 1.5}}));
}

TEST(ObserverRemarks, GiveTheValueWhereARowHasNone) {
  const auto means = read(line(R"("summary":{"mean":3,"p50":2})") + line(R"("summary":{"mean":4})"));
  ASSERT_EQ(means.size(), 1u);
  EXPECT_EQ(means[0].values, (Values{3, 4}));
  EXPECT_EQ(means[0].remarks.summary, (Summary{{"mean", 4}, {"p50", 2}}));
  EXPECT_EQ(read(line(R"("summary":{"p50":2})")).at(0).values, Values{2});
}

TEST(ObserverRemarks, BecomeATableWhereNothingGivesAValue) {
  const auto all = read(line(R"("summary":{"p90":2.5},"info_string":"a \"b\"")") +
                        R"(NetObserver {"type":"Conv","metric":"latency","value":1})");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].key, "Conv latency");
  EXPECT_EQ(all[0].remarks.custom_output,
            std::vector<std::string>{
                R"({"table_name":"NET latency","custom_output":{"info_string":"a \"b\"","p90":2.5}})"});
  EXPECT_TRUE(read(line(R"("info_string":"alone")")).empty());
}

TEST(ObserverRemarks, KeepEveryDifferentInfoStringOnALineOfItsOwn) {
  const auto all = read(line(R"("value":1,"info_string":"a")") + line(R"("value":1,"info_string":"b")") +
                        line(R"("value":1,"info_string":"a")"));
  EXPECT_EQ(all.at(0).remarks.info_string, "a\nb");
}

TEST(ObserverRemarks, KeepTablesWithTheFirstSeries) {
  const auto all = read(R"(NetObserver {"custom_output":[{"layer":1}],"table_name":"Layers"})"
                        "\n" +
                        line(R"("value":1)") + R"(NetObserver {"custom_output":2})");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].remarks.custom_output,
            (std::vector<std::string>{R"({"custom_output":[{"layer":1}],"table_name":"Layers"})",
                                      R"({"custom_output":2})"}));
}

TEST(ObserverRemarks, AreReadInTheOldFormToo) {
  const auto all = read(
      R"(NetObserver {"NET":{"latency":{"value":1,"unit":"us"}},"Conv":{"latency":{"info_string":"3x3"}}})"
      "\n"
      R"(NetObserver {"NET":{"latency":2},"Conv":{"latency":{"value":5,"unit":"us"}}})");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, "Conv latency");
  EXPECT_EQ(all[0].remarks.info_string, "3x3");
  EXPECT_EQ(all[1].values, (Values{1, 2}));
}

TEST(ObserverRemarks, ThatCannotBeReadAreRefused) {
  const std::string begin = "the object after NetObserver in output line 1 ";
  EXPECT_EQ(error_in(line(R"("summary":{"mean":"fast"})")),
            begin + R"(has "mean" in its "summary" that is not a number)");
  EXPECT_EQ(error_in(line(R"("summary":[1])")), begin + R"(has a "summary" that is not an object)");
  EXPECT_EQ(error_in(line(R"("num_runs":"many")")), begin + R"(has "num_runs" that is not a number)");
  EXPECT_EQ(error_in(line(R"("x":1)")), begin + R"(has no "value")");
}

TEST(JsonLines, AreResultsInAnyLine) {
  const auto all =
      (tests::read_as("json_converter",
                      "I0101] {\"type\":\"NET\",\"metric\":\"qps\",\"unit\":\"1/s\",\"value\":5} ok\n"
                      "{\"NET\":{\"latency\":{\"value\":2,\"unit\":\"us\"}}}\n"
                      "{\"ID_0\":{\"flops\":{\"value\":3}}}\n"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].key, "NET qps");
  EXPECT_EQ(all[2].key, "ID_0 flops");
}

TEST(JsonLines, PassOverOtherObjectsAndText) {
  EXPECT_TRUE((tests::read_as("json_converter",
                              "{}\n{\"a\":1}\n{\"a\":{\"b\":1}}\nint main() { return 0; }\n} {\n[1]\n"))
                  .empty());
}

TEST(JsonLines, RefuseWhatIsMeantAsAResult) {
  EXPECT_EQ((tests::error_as("json_converter", "x\n{\"type\":\"NET\",\"metric\":\"latency\",\"val\n")),
            "the object in output line 2 is not valid JSON");
  EXPECT_EQ((tests::error_as("json_converter", "{\"NET\":5}")),
            "the object in output line 1 has \"NET\" that is not an object of metrics");
}

}  // namespace
}  // namespace tandem::runners
