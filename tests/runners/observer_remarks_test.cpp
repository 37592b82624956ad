#include <gtest/gtest.h>

#include "runners/results/observer_lines.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;
using Summary = std::map<std::string, double>;

std::vector<Series> of(ReadSeries result) {
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *wrong;
    return {};
  }
  return std::get<std::vector<Series>>(std::move(result));
}

std::string line(const std::string& rest) {
  return R"(NetObserver {"type":"NET","metric":"latency","unit":"us",)" + rest + "}\n";
}

std::vector<Series> read(const std::string& output) {
  return of(read_observer_lines(output, {}));
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
  const auto wrong = [](const std::string& output) {
    const auto result = read_observer_lines(output, {});
    const auto* text = std::get_if<std::string>(&result);
    return text == nullptr ? std::string() : *text;
  };
  const std::string begin = "the object after NetObserver in output line 1 ";
  EXPECT_EQ(wrong(line(R"("summary":{"mean":"fast"})")),
            begin + R"(has "mean" in its "summary" that is not a number)");
  EXPECT_EQ(wrong(line(R"("summary":[1])")), begin + R"(has a "summary" that is not an object)");
  EXPECT_EQ(wrong(line(R"("num_runs":"many")")), begin + R"(has "num_runs" that is not a number)");
  EXPECT_EQ(wrong(line(R"("x":1)")), begin + R"(has no "value")");
}

TEST(JsonLines, AreResultsInAnyLine) {
  const auto all =
      of(read_json_lines("I0101] {\"type\":\"NET\",\"metric\":\"qps\",\"unit\":\"1/s\",\"value\":5} ok\n"
                         "{\"NET\":{\"latency\":{\"value\":2,\"unit\":\"us\"}}}\n"
                         "{\"ID_0\":{\"flops\":{\"value\":3}}}\n"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].key, "NET qps");
  EXPECT_EQ(all[2].key, "ID_0 flops");
}

TEST(JsonLines, PassOverOtherObjectsAndText) {
  EXPECT_TRUE(
      of(read_json_lines("{}\n{\"a\":1}\n{\"a\":{\"b\":1}}\nint main() { return 0; }\n} {\n[1]\n")).empty());
}

TEST(JsonLines, RefuseWhatIsMeantAsAResult) {
  EXPECT_EQ(std::get<std::string>(read_json_lines("x\n{\"type\":\"NET\",\"metric\":\"latency\",\"val\n")),
            "the object in output line 2 is not valid JSON");
  EXPECT_EQ(std::get<std::string>(read_json_lines("{\"NET\":5}")),
            "the object in output line 1 has \"NET\" that is not an object of metrics");
}

}  // namespace
}  // namespace tandem::runners
