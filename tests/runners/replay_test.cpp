// Every reader of foreign output, given thousands of small changes to real output: what is read must be
// sound, the rest refused, and nothing may crash.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runners/fuzzed.hpp"
#include "specs/foundation/random.hpp"
#include "tests/runners/mutations.hpp"

namespace tandem::runners {
namespace {

using Texts = std::vector<std::string>;

const Texts pieces = {"{",
                      "}",
                      "[",
                      "]",
                      "\"",
                      "null",
                      "1e999",
                      "-",
                      "\n",
                      "nan",
                      "%",
                      ",",
                      "NaN",
                      "Infinity",
                      "\xff",
                      "\\u0000",
                      " ",
                      "0x1",
                      "perf",
                      "==1",
                      "%time%",
                      "inf",
                      "\"context\":",
                      ",,",
                      "9999999999999999999999",
                      std::string(1, '\0')};

void replay(void (*reader)(const std::uint8_t*, std::size_t), const Texts& outputs,
            const Texts& put_in = pieces) {
  Random random(20240501);
  for (int i = 0; i < 10'000; ++i) {
    std::string text = outputs[random.below(outputs.size())];
    for (std::uint64_t edits = random.below(5); edits > 0 && !text.empty(); --edits) {
      tandem::tests::mutate(text, put_in, random);
    }
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    reader(bytes.data(), bytes.size());
  }
}

TEST(ObserverLines, AreReadOrRefusedAfterTenThousandMutations) {
  replay(
      tests::fuzz_observer_lines,
      {"x\nPyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"unit\":\"us\",\"value\":\"12.5\"}\n",
       "Caffe2Observer {\"NET\": {\"latency\": {\"value\": 5.5, \"unit\": \"ms\"}}, \"ID_0\": {\"flops\": "
       "3}}\n",
       "PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"summary\":{\"p50\":1},\"num_runs\":3}\n",
       "a {\"custom_output\":[{\"x\":1}],\"table_name\":\"t\"} b\nNetObserver "
       "{\"type\":\"NET\",\"metric\":\"latency\",\"info_string\":\"warm\",\"value\":1}\n"});
}

TEST(GoogleBenchmark, IsReadOrRefusedAfterTenThousandMutations) {
  replay(tests::fuzz_google_benchmark,
         {"{\n  \"context\": {\"num_cpus\": 2},\n  \"benchmarks\": [{\"name\": \"BM_a/8\", \"run_name\": "
          "\"BM_a/8\", \"run_type\": \"iteration\", \"real_time\": 3.5e-01, \"cpu_time\": 3.4e-01, "
          "\"time_unit\": \"us\", \"items_per_second\": 8.6e+09, \"hits\": NaN}]}\n",
          "starting {\"context\": {}, \"benchmarks\": [{\"name\": \"BM_b\", \"error_occurred\": true, "
          "\"error_message\": \"no data\", \"real_time\": 0, \"time_unit\": \"ns\"}]} done {\"context\": 1}",
          "BM_a/8\nBM_a<int>/16\n"});
}

TEST(BenchdnnLines, AreReadOrRefusedAfterTenThousandMutations) {
  replay(tests::fuzz_benchdnn_lines,
         {"Output template: perf,%engine%,%name%,%prb%,%Gops%,%-time%,%-Gflops%,%0time%\n"
          "perf,cpu,\"ip1\",--dir=FWD_B mb112oc1000ic2048,0.458752,0.521729,879.293,0.576451\n",
          "%prb%|%0time%|%bw%\nmb1ic3|0.5|77\ntests:1 passed:1\n", "perf,cpu,jit,,mb1,0.1,0.2\n"});
}

TEST(TfliteLines, AreReadOrRefusedAfterTenThousandMutations) {
  replay(tests::fuzz_tflite_lines,
         {"Running benchmark for at least 1 iterations\ncount=9 first=6 curr=5 min=5 max=6 avg=5.7 std=1\n"
          "INFO: Running benchmark for at least 50 iterations\ncount=50 curr=5(all same)\n"
          "Inference timings in us: Init: 1, First inference: 6, Warmup (avg): 5.7, Inference (avg): 5\n",
          "Operator-wise Profiling Info for Regular Benchmark Runs:\n"
          "\t[node type]\t[first]\t[avg ms]\t[%]\t[cdf%]\t[mem KB]\t[times called]\t[Name]\n"
          "\tCONV 2D\t0.2\t0.25\t40.1%\t40.1%\t0.0\t1\t[conv/Relu]:0\n\n"
          "\t[Node type]\t[count]\t[avg ms]\t[avg %]\t[cdf %]\t[mem KB]\t[times called]\n"
          "\tCONV 2D\t1\t0.25\t100%\t100%\t0.0\t1\n\nTimings (microseconds): count=1 curr=250\n"});
}

TEST(GoldenOutput, IsReadOrRefusedAfterTenThousandMutations) {
  replay(tests::fuzz_golden_output, {"1 2.5\n-3e-5,+4;nan inf\n", "0.125\n0.25\n0.5\n1\n"});
}

TEST(InstructionCounts, AreReadOrRefusedAfterTenThousandMutations) {
  replay(tests::fuzz_instruction_count,
         {"words\n3066,,instructions:u,253000,100.00,,\n", "<not supported>,,instructions:u,0,100.00,,\n",
          "==12== Events    : Ir\n==12== Collected : 123,456\n==12==\n"});
}

TEST(PlatformText, IsReadOrPassedOverAfterTenThousandMutations) {
  const Texts texts = {
      "tandem-platform 1 boot\nsys/devices/system/cpu/cpu3/cpufreq/scaling_governor\tpowersave\tperformance\n"
      "proc/sys/kernel/perf_event_paranoid\t2\t1\n",
      "0-3,5,7-9\n", "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu avx avx2 amx_tile\n\nprocessor\t: 1\n",
      "Features\t: fp asimd sve\n"};
  const Texts put_in = {"\n",      "\t", ":",  "-", ",", "../", "/", ";", "\xff", std::string(1, '\0'),
                        "9999999", "0-", "cpu"};
  replay(tests::fuzz_platform_text, texts, put_in);
}

}  // namespace
}  // namespace tandem::runners
