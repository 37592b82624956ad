#pragma once

#include <string>
#include <utility>

#include "specs/benchmark/spec.hpp"
#include "specs/json/document.hpp"

namespace tandem::specs {

/// Benchmarks from a text that is already in memory; `file` is its name.
inline LoadedSpecs parse_benchmarks(std::string text, const std::string& file, const SpecOptions& options,
                                    Problems& problems) {
  LoadedSpecs specs;
  problems.attempt([&] {
    specs = read_benchmarks(JsonDocument::parse(std::move(text), file, problems), options, problems);
  });
  return specs;
}

}  // namespace tandem::specs
