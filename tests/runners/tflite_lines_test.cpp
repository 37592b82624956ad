#include "runners/adapter_reading.hpp"

namespace tandem::runners {
namespace {

using Values = std::vector<double>;

std::vector<Series> read(std::string_view output) {
  return tests::read_as("tflite", output);
}

Values values_of(const std::vector<Series>& all, const std::string& key) {
  for (const Series& one : all) {
    if (one.key == key) return one.values;
  }
  return {};
}

const std::string net =
    "INFO: Loaded model m.tflite\n"
    "INFO: Initialized session in 0.63ms.\n"
    "INFO: Running benchmark for at least 1 iterations and at least 0.5 seconds but terminate if exceeding "
    "150 seconds.\n"
    "INFO: count=132 first=3678 curr=3790 min=3270 max=5473 avg=3751.66 std=334\n"
    "\n"
    "INFO: Running benchmark for at least 50 iterations and at least 1 seconds but terminate if exceeding "
    "150 seconds.\n"
    "INFO: count=261 first=3937 curr=3959 min=3190 max=6333 avg=3790.92 std=358 p5=3200 median=3700 "
    "p95=4100\n"
    "\n"
    "INFO: Inference timings in us: Init: 630, First inference: 3678, Warmup (avg): 3751.66, Inference "
    "(avg): 3790.92\n";

const std::string operators =
    "INFO: Profiling Info for Benchmark Initialization:\n"
    "============================== Run Order ==============================\n"
    "\t     [node type]\t  [first]\t [avg ms]\t     [%]\t  [cdf%]\t  [mem KB]\t[times called]\t[Name]\n"
    "\t AllocateTensors\t    5.061\t    5.061\t 44.360%\t100.000%\t 10292.000\t        1\tAllocateTensors/0\n"
    "\n"
    "============================== Summary by node type ==============================\n"
    "\t     [Node type]\t  [count]\t  [avg ms]\t    [avg %]\t    [cdf %]\t  [mem KB]\t[times called]\n"
    "\t AllocateTensors\t        1\t     5.061\t   100.000%\t   100.000%\t 10292.000\t        1\n"
    "\n"
    "Timings (microseconds): count=1 curr=11409\n"
    "\n"
    "INFO: Operator-wise Profiling Info for Regular Benchmark Runs:\n"
    "============================== Run Order ==============================\n"
    "\t     [node type]\t  [first]\t [avg ms]\t     [%]\t  [cdf%]\t  [mem KB]\t[times called]\t[Name]\n"
    "\t        QUANTIZE\t    0.199\t    0.203\t  1.328%\t  1.328%\t     0.000\t        1\t[tfl.quantize, "
    "b]:0\n"
    "\t Fully Connected (NC, PF32) GEMM\t 0.4\t 0.407\t 2.658%\t 3.986%\t 0.0\t 1\tDelegate/Fully Connected "
    "(NC, PF32) GEMM:0\n"
    "\t        QUANTIZE\t    0.300\t    0.5\t  1.328%\t  5.3%\t     0.000\t        1\t[tfl.quantize, b]:2\n"
    "\n"
    "============================== Top by Computation Time ==============================\n"
    "\t     [node type]\t  [first]\t [avg ms]\t     [%]\t  [cdf%]\t  [mem KB]\t[times called]\t[Name]\n"
    "\t        QUANTIZE\t    0.300\t    0.5\t  1.328%\t  5.3%\t     0.000\t        1\t[tfl.quantize, b]:2\n"
    "\n"
    "Number of nodes executed: 3\n"
    "============================== Summary by node type ==============================\n"
    "\t     [Node type]\t  [count]\t  [avg ms]\t    [avg %]\t    [cdf %]\t  [mem KB]\t[times called]\n"
    "\t        QUANTIZE\t        2\t     0.703\t    60.000%\t    60.000%\t     0.000\t        2\n"
    "\t Fully Connected (NC, PF32) GEMM\t 1\t 0.407\t 40.000%\t 100.000%\t 0.0\t 1\n"
    "\n"
    "Timings (microseconds): count=261 first=947 curr=406 min=390 max=947 avg=411.071 std=14\n"
    "Memory (bytes): count=0\n"
    "3 nodes observed\n";

TEST(TfliteLines, GiveTheAverageOfTheRegularRunsWithItsStatistics) {
  const auto all = read(net);
  ASSERT_EQ(all.size(), 1u) << "no warm-up, no initialisation";
  EXPECT_EQ(all[0].key, "NET latency");
  EXPECT_EQ(all[0].metric.unit, "us");
  EXPECT_EQ(all[0].values, Values{3790.92});
  const std::map<std::string, double> summary = {{"num_runs", 261}, {"p0", 3190},   {"p100", 6333},
                                                 {"mean", 3790.92}, {"stdev", 358}, {"p5", 3200},
                                                 {"p50", 3700},     {"p95", 4100}};
  EXPECT_EQ(all[0].remarks.summary, summary);
}

TEST(TfliteLines, GiveOperatorsAndKindsOfTheRegularRunsInMicroseconds) {
  const auto all = read(net + operators);
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(values_of(all, "NET latency"), Values{3790.92}) << "the profiler's own timings are no runs";
  EXPECT_EQ(values_of(all, "tfl.quantize, b latency"), Values{203});
  EXPECT_EQ(values_of(all, "tfl.quantize, b #2 latency"), Values{500});
  EXPECT_EQ(values_of(all, "Delegate/Fully Connected (NC, PF32) GEMM:0 latency"), Values{407});
  EXPECT_EQ(values_of(all, "QUANTIZE latency"), Values{703});
  EXPECT_EQ(values_of(all, "Fully Connected (NC, PF32) GEMM latency"), Values{407});
}

TEST(TfliteLines, OfSeveralRunsOfTheProgramGiveSeveralValues) {
  const auto all = read(net + operators + net + operators);
  EXPECT_EQ(values_of(all, "NET latency").size(), 2u);
  EXPECT_EQ(values_of(all, "tfl.quantize, b #2 latency"), (Values{500, 500}));
  EXPECT_EQ(values_of(all, "QUANTIZE latency"), (Values{703, 703}));
}

TEST(TfliteLines, OfTheOldTextAreReadToo) {
  const auto all = read(
      "Initialized session in 0.378ms\n"
      "Running benchmark for 1 iterations \n"
      "count=1 curr=5983\n"
      "\n"
      "Running benchmark for 50 iterations \n"
      "count=50 curr=1592(all same)\n"
      "\n"
      "============================== Run Order ==============================\n"
      "\t   [node type]\t [start]\t [first]\t[avg ms]\t    [%]\t [cdf%]\t [mem KB]\t[times called]\t[Name]\n"
      "\t       SOFTMAX\t  49.000\t   0.802\t  0.719\t45.131%\t45.131%\t   0.000\t       0\t[Softmax]\n"
      "\n"
      "Timings (microseconds): count=50 first=79449 curr=81350 min=77385 max=88213 avg=79732 std=1929\n"
      "Average inference timings in us: Warmup: 83235, Init: 38467, no stats: 79760.9\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(values_of(all, "NET latency"), Values{1592});
  EXPECT_EQ(values_of(all, "Softmax latency"), Values{719});
  for (const Series& one : all) {
    if (one.key != "NET latency") continue;
    EXPECT_EQ(one.remarks.summary.at("num_runs"), 50);
    EXPECT_EQ(one.remarks.summary.at("p100"), 1592);
  }
}

TEST(TfliteLines, NeedNoMoreThanTheLastLine) {
  EXPECT_EQ(values_of(read("Inference timings in us: Init: 2, Inference (avg): 58.311\n"), "NET latency"),
            Values{58.311});
  EXPECT_EQ(
      values_of(read("Average inference timings in us: Warmup: 1, Init: 3, no stats: 7.5"), "NET latency"),
      Values{7.5});
}

TEST(TfliteLines, AreAbsentFromOrdinaryOutput) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("count=5 avg=3\nInit: 5\n[Name]\n").empty());
  EXPECT_TRUE(read("Running benchmark for at least 0 iterations\ncount=0\n").empty());
}

TEST(TfliteLines, ThatDoNotFitAreNamed) {
  const auto wrong = [](std::string_view output) { return tests::error_as("tflite", output); };
  EXPECT_EQ(wrong("Running benchmark for 5\ncount=nan avg=1\n"),
            "benchmark_model's text in output line 2 has neither an average nor a single value");
  EXPECT_EQ(wrong("x\nInference timings in us: Init: 3\n"),
            "benchmark_model's text in output line 2 has no average of the inference");
  EXPECT_EQ(wrong("\t[node type]\t[first]\t[avg ms]\t[Name]\n\tCONV\t1.0\t?\t[c]\n"),
            "benchmark_model's text in output line 2 does not fit the table above it");
}

}  // namespace
}  // namespace tandem::runners
