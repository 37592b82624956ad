#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/results/series.hpp"

namespace tandem::runners {

/// Reads what Google Benchmark writes with --benchmark_format=json: an object with "context" and
/// "benchmarks", alone or somewhere in other text. Several such objects are read one after the other.
///
/// Per benchmark: time and cpu_time in ns, items and bytes per second, and every counter of the program.
/// Repetitions give several values. Aggregates are passed over; where a program printed nothing else, the
/// median, else the mean stands for it. A benchmark that reports an error is an error sentence. No such
/// object: no series.
[[nodiscard]] ReadSeries read_google_benchmark(std::string_view output);

/// The names that --benchmark_list_tests=true prints, or a sentence that says what is wrong with them.
[[nodiscard]] std::variant<std::vector<std::string>, std::string> read_google_list(std::string_view output);

/// What is added to a command so that it lists its benchmarks, and so that it runs just one; an empty name
/// means all.
[[nodiscard]] std::vector<std::string> google_list_arguments();
[[nodiscard]] std::vector<std::string> google_run_arguments(const std::string& benchmark);

}  // namespace tandem::runners
