#include "runners/results/observer_lines.hpp"

#include <gtest/gtest.h>

namespace tandem::runners {
namespace {

std::vector<Series> read(std::string_view output) {
  auto result = read_observer_lines(output);
  if (const auto* wrong = std::get_if<std::string>(&result)) ADD_FAILURE() << *wrong;
  return std::get<std::vector<Series>>(result);
}

std::string error_in(std::string_view output) {
  auto result = read_observer_lines(output);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "";
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
  EXPECT_NE(error_in("Caffe2Observer [1]"), "");
}

TEST(ObserverLines, TakeAnyWordThatEndsInObserverWhenNoIdentifierIsGiven) {
  const auto result = read_observer_lines(
      "x=1 (TensorObserver {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}\n"
      "Caffe2Observer {\"NET\": {\"latency\": 2}}\r\n"
      "Observer is not {one}\n",
      {});
  const auto& series = std::get<std::vector<Series>>(result);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(std::get<std::string>(read_observer_lines("(NetObserver {", {})),
            "the object after NetObserver in output line 1 is not valid JSON");
}

TEST(ObserverLines, TakeAnIdentifierThatIsWrittenWithItsSpace) {
  const auto result =
      read_observer_lines("Mine {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}", {"Mine "});
  EXPECT_EQ(std::get<std::vector<Series>>(result).size(), 1u);
}

TEST(ObserverLines, TakeAnyIdentifier) {
  const auto result =
      read_observer_lines("Mine {\"type\":\"NET\",\"metric\":\"latency\",\"value\":1}", {"Mine"});
  EXPECT_EQ(std::get<std::vector<Series>>(result).size(), 1u);
}

}  // namespace
}  // namespace tandem::runners
