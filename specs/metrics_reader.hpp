#pragma once

#include "specs/benchmark_spec.hpp"
#include "specs/field_check.hpp"

namespace tandem::specs {

/// Reads what a test wants to be measured beside time: "metrics", "golden" and "instructions". Part of
/// load_benchmarks.
void read_metrics(const CheckedObject& test, Problems& problems, BenchmarkSpec& spec);

}  // namespace tandem::specs
