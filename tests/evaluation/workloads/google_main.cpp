// The same workload as a program of Google Benchmark. The data is made once, as in a program of the SDK.
#include <benchmark/benchmark.h>

#include "evaluation/workloads/workload.hpp"

int main(int argc, char** argv) {
  const tandem::Program::Body body = tandem::evaluation::prepare();
  benchmark::RegisterBenchmark(tandem::evaluation::name, [&](benchmark::State& state) {
    for (auto _ : state) body(1);
  })->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
