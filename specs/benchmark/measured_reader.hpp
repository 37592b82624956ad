#pragma once

#include "specs/benchmark/field_check.hpp"
#include "specs/benchmark/spec.hpp"
#include "specs/benchmark/test_reader.hpp"

namespace tandem::specs {

/// Reads the files and libraries of one benchmark: of its model, of the test, of its commands before and
/// after. A file of the test hides one of the model with the same key. Part of load_benchmarks.
void read_files(const TestView& view, Problems& problems, BenchmarkSpec& spec);

/// Of a model or of a written file. Part of load_benchmarks.
[[nodiscard]] ConverterSpec read_converter(const MergedValue& value);

/// Reads what a test wants to be measured beside time: "metrics", "golden" and "instructions". Part of
/// load_benchmarks.
void read_metrics(const CheckedObject& test, Problems& problems, BenchmarkSpec& spec);

}  // namespace tandem::specs
