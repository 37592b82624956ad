#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tandem::specs::example {

/// Instructions of one iteration of each benchmark.
using InstructionCounts = std::map<std::string, double>;

/// Counts with callgrind. The program runs all benchmarks for a few iterations, then again with twice as many
/// of one benchmark; the difference is what these iterations cost, without start-up and preparation.
[[nodiscard]] InstructionCounts count_instructions(const std::filesystem::path& program,
                                                   const std::vector<std::string>& benchmarks);

}  // namespace tandem::specs::example
