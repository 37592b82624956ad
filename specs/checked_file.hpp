#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "specs/problem.hpp"

namespace tandem::specs {

/// What was found in one file that a person wrote.
struct CheckedFile {
  std::string file;
  std::string kind = "benchmarks";  ///< or "config"
  std::size_t benchmarks = 0;       ///< 0 with problems
  std::vector<Problem> problems;
  std::vector<Problem> notices;  ///< what is accepted and has no effect
};

/// For programs: `{"files": [{"file", "kind", "benchmarks", "problems", "notices"}], "problems": N}`, each
/// problem and notice with file, line, column, pointer and message.
[[nodiscard]] std::string json_of(const std::vector<CheckedFile>& files);

[[nodiscard]] std::size_t count_problems(const std::vector<CheckedFile>& files);

}  // namespace tandem::specs
