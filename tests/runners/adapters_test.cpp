#include "runners/adapter_reading.hpp"

namespace tandem::runners {
namespace {

using tests::read_as;

TEST(Adapters, AreFoundByTheirNamesAndNoOther) {
  EXPECT_EQ(adapter_names(),
            (std::vector<std::string_view>{"benchdnn", "google_benchmark", "json_converter",
                                           "json_with_identifier_converter", "observer", "tflite"}));
  for (const std::string_view name : adapter_names()) EXPECT_NE(find_adapter(name), nullptr) << name;
  EXPECT_EQ(find_adapter("glow"), nullptr);
  EXPECT_EQ(find_adapter(""), nullptr);
}

TEST(Adapters, EachReadTheirOwnText) {
  EXPECT_EQ(read_as("observer", "NetObserver {\"NET\":{\"latency\":1}}").size(), 1u);
  EXPECT_EQ(read_as("json_converter", "- {\"type\":\"NET\",\"metric\":\"m\",\"value\":1}").size(), 1u);
  EXPECT_EQ(read_as("google_benchmark",
                    R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":"ns"}]})")
                .size(),
            1u);
  EXPECT_EQ(read_as("benchdnn", "perf;ip;2\n", {{"template", "perf;%prb%;%-time%"}}).at(0).key, "ip");
  EXPECT_EQ(read_as("tflite", "Inference timings in us: Inference (avg): 7").at(0).key, "NET latency");
}

TEST(Adapters, WithAnIdentifierTakeItsLinesAndWithoutOneAll) {
  const char* const output =
      "Mine {\"type\":\"NET\",\"metric\":\"m\",\"value\":1}\n"
      "{\"type\":\"NET\",\"metric\":\"m\",\"value\":2}\n"
      "result:{\"type\":\"NET\",\"metric\":\"m\",\"value\":3} done\n";
  const auto values = [&](const std::string& identifier) {
    return read_as("json_with_identifier_converter", output, {{"identifier", identifier}}).at(0).values;
  };
  EXPECT_EQ(values("Mine "), std::vector<double>{1});
  EXPECT_EQ(values("result:"), std::vector<double>{3});
  EXPECT_EQ(values(""), (std::vector<double>{1, 2, 3}));
}

TEST(Series, OfOneBenchmarkComeTogetherWhenMerged) {
  std::vector<Series> all = {{"a", {"m", "us"}, {1}, {"x", {{"p50", 1}}, {"t"}}}};
  merge(all, {{"a", {"m", "us"}, {2}, {"y", {{"p50", 2}}, {"u"}}}, {"a", {"m", "ms"}, {3}, {}}});
  ASSERT_EQ(all.size(), 2u) << "another unit is another series";
  EXPECT_EQ(all[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(all[0].remarks.info_string, "x\ny");
  EXPECT_EQ(all[0].remarks.summary.at("p50"), 2);
  EXPECT_EQ(all[0].remarks.custom_output.size(), 2u);
}

}  // namespace
}  // namespace tandem::runners
