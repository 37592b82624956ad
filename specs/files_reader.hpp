#pragma once

#include "specs/test_view.hpp"

namespace tandem::specs {

/// Reads the files and libraries of one benchmark: of its model, of the test, of its commands before and
/// after. A file of the test hides one of the model with the same key. Part of load_benchmarks.
void read_files(const TestView& view, Problems& problems, BenchmarkSpec& spec);

/// Of a model or of a written file. Part of load_benchmarks.
[[nodiscard]] ConverterSpec read_converter(const MergedValue& value);

}  // namespace tandem::specs
