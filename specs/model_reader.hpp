#pragma once

#include <optional>

#include "specs/benchmark_spec.hpp"
#include "specs/field_check.hpp"

namespace tandem::specs {

/// What the files of a suite have given until now.
struct SpecsSoFar {
  LoadedSpecs specs;
  std::size_t bytes = 0;  ///< of memory, about
};

/// Reads one benchmark file's `model` and `tests` under the meta of its suite and appends what it
/// gives. Part of load_benchmarks.
void read_model_and_tests(const Node& root, const std::optional<CheckedObject>& meta,
                          const SpecOptions& options, Problems& problems, SpecsSoFar& so_far);

/// A text that is not empty and has no control characters.
[[nodiscard]] std::string read_name(const Node& node);

}  // namespace tandem::specs
