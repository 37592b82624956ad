#pragma once

#include <optional>

#include "specs/benchmark_spec.hpp"
#include "specs/json_document.hpp"

namespace tandem::specs {

/// Reads one benchmark file's `model` and `tests` under the meta of its suite and appends to `specs`. Part of
/// load_benchmarks.
void read_model_and_tests(const Node& root, const std::optional<Node>& meta, const SpecOptions& options,
                          Problems& problems, LoadedSpecs& specs);

/// Notes the members of `object` that are among `fields` as having no effect.
void note_ignored(const Node& object, const Keys& fields, LoadedSpecs& specs);

/// A text that is not empty and has no control characters.
[[nodiscard]] std::string read_name(const Node& node);

}  // namespace tandem::specs
