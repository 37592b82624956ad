#pragma once

#include <map>
#include <string>
#include <vector>

#include "specs/field_check.hpp"

namespace tandem::specs {

/// One of the benchmarks that a test stands for.
struct Variant {
  std::size_t shape = 0;  ///< which one of each input
  std::map<std::string, std::string> parameters;
  std::string suffix;  ///< for an identifier that does not tell the variants apart; with placeholders
};

/// Every shape of its inputs with every combination of its parameters, the last parameter first to change.
/// More than `most`, inputs with different numbers of shapes, and parameters that hide another name throw
/// ProblemError.
[[nodiscard]] std::vector<Variant> variants_of(const CheckedObject& test, std::size_t most);

}  // namespace tandem::specs
