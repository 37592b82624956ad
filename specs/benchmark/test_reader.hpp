#pragma once

#include <string>

#include "specs/benchmark/model_reader.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/benchmark/spec.hpp"

namespace tandem::specs {

/// One benchmark's fields and what its placeholders mean: what every reader of a part of it needs.
struct TestView {
  const CheckedObject& test;
  const MergedModel& model;
  const PlaceholderScope& scope;
  const SpecOptions& options;

  [[nodiscard]] std::string expand(const Node& node, Keep keep) const {
    return expand_placeholders(node, node.scalar_text(), scope, keep);
  }

  /// A field of the test, else of its model, else of the suite.
  [[nodiscard]] std::optional<Node> nearest(std::string_view key) const {
    if (auto found = test.find(key)) return found;
    if (const auto found = model.find(key)) return found->node();
    return std::nullopt;
  }
};

/// Reads one benchmark. `suffix` follows its identifier. Part of load_benchmarks.
[[nodiscard]] BenchmarkSpec read_test(const TestView& view, const std::string& suffix, Problems& problems);

}  // namespace tandem::specs
