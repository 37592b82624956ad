// A program of Google's library that knows nothing of Tandem: two benchmarks of known work, one that fails.
#include <benchmark/benchmark.h>

#include <cstring>

#include "work.hpp"

#ifndef UNITS
#define UNITS 2000
#endif

namespace {

void steady(benchmark::State& state) {
  std::uint64_t value = 1;
  const auto rounds = static_cast<std::uint64_t>(state.range(0)) * UNITS;
  for ([[maybe_unused]] auto round : state) benchmark::DoNotOptimize(value = work(rounds, value | 1));
  state.SetItemsProcessed(state.iterations());
  state.counters["rounds"] = static_cast<double>(rounds);
}

void unready(benchmark::State& state) {
  state.SkipWithError("the table is empty");
  for ([[maybe_unused]] auto round : state) {
  }
}

}  // namespace

BENCHMARK(steady)->Arg(1)->Arg(10)->Unit(benchmark::kMicrosecond);

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--with_error") == 0) {
    benchmark::RegisterBenchmark("unready<int>[0]{a+b}", unready);
    --argc;
    ++argv;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
