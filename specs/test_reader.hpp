#pragma once

#include <string>

#include "specs/test_view.hpp"

namespace tandem::specs {

/// Reads one benchmark. `suffix` follows its identifier. Part of load_benchmarks.
[[nodiscard]] BenchmarkSpec read_test(const TestView& view, const std::string& suffix, Problems& problems);

}  // namespace tandem::specs
