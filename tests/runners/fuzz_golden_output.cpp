#include <cmath>
#include <cstdlib>
#include <string_view>

#include "runners/fuzzed.hpp"
#include "runners/pairing/golden_output.hpp"

namespace tandem::runners::tests {

void fuzz_golden_output(const std::uint8_t* bytes, std::size_t size) {
  using Type = specs::Golden::Type;
  const std::string_view output(reinterpret_cast<const char*>(bytes), size);
  for (const Type type : {Type::text, Type::float32, Type::float64}) {
    const auto result = read_numbers(output, type);
    if (const auto* wrong = std::get_if<std::string>(&result)) {
      if (wrong->empty()) std::abort();
      continue;
    }
    const auto& numbers = std::get<std::vector<double>>(result);
    const std::vector<double> golden(numbers.size(), 1.0);
    const OutputError same = compare_output(numbers, numbers, {});
    const OutputError other = compare_output(golden, numbers, {});
    if (same.absolute != 0 || same.relative != 0 || std::isnan(other.absolute) || std::isnan(other.relative))
      std::abort();
  }
}

}  // namespace tandem::runners::tests
