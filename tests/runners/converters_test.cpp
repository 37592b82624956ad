#include "runners/results/converters.hpp"

#include <gtest/gtest.h>

namespace tandem::runners {
namespace {

std::vector<Series> convert(const std::string& name, std::string_view text,
                            std::map<std::string, std::string> args = {}) {
  const Converter converter = find_converter(name);
  if (converter == nullptr) {
    ADD_FAILURE() << name;
    return {};
  }
  auto result = converter(text, {name, std::move(args)});
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *wrong;
    return {};
  }
  return std::get<std::vector<Series>>(std::move(result));
}

TEST(Converters, AreFoundByTheirNamesAndNoOther) {
  EXPECT_EQ(converter_names(),
            (std::vector<std::string_view>{"benchdnn", "google_benchmark", "json_converter",
                                           "json_with_identifier_converter", "observer", "tflite"}));
  for (const std::string_view name : converter_names()) EXPECT_NE(find_converter(name), nullptr) << name;
  EXPECT_EQ(find_converter("glow"), nullptr);
  EXPECT_EQ(find_converter(""), nullptr);
}

TEST(Converters, EachReadTheirOwnText) {
  EXPECT_EQ(convert("observer", "NetObserver {\"NET\":{\"latency\":1}}").size(), 1u);
  EXPECT_EQ(convert("json_converter", "- {\"type\":\"NET\",\"metric\":\"m\",\"value\":1}").size(), 1u);
  EXPECT_EQ(convert("google_benchmark",
                    R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":"ns"}]})")
                .size(),
            1u);
  EXPECT_EQ(convert("benchdnn", "perf;ip;2\n", {{"template", "perf;%prb%;%-time%"}}).at(0).key, "ip");
  EXPECT_EQ(convert("tflite", "Inference timings in us: Inference (avg): 7").at(0).key, "NET latency");
}

TEST(Converters, WithAnIdentifierTakeItsLinesAndWithoutOneAll) {
  const char* const output =
      "Mine {\"type\":\"NET\",\"metric\":\"m\",\"value\":1}\n"
      "{\"type\":\"NET\",\"metric\":\"m\",\"value\":2}\n"
      "result:{\"type\":\"NET\",\"metric\":\"m\",\"value\":3} done\n";
  const auto values = [&](const std::string& identifier) {
    return convert("json_with_identifier_converter", output, {{"identifier", identifier}}).at(0).values;
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
