#pragma once

#include <string>

namespace tandem::specs {

/// The JSON Schema (draft 2020-12) of benchmark files and suites, made from the tables that the reader checks
/// with (specs/benchmark/fields.hpp). What it refuses, the reader refuses; the reader also follows
/// placeholders, names and files. specs/schema/benchmark.schema.json holds this text.
[[nodiscard]] std::string benchmark_schema();

}  // namespace tandem::specs
