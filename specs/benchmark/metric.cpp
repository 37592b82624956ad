#include "specs/benchmark/metric.hpp"

#include <algorithm>
#include <array>

namespace tandem::specs {

Direction usual_direction(std::string_view name, std::string_view unit) {
  constexpr std::array<std::string_view, 6> rates = {"throughput", "flops",    "fps",
                                                     "qps",        "accuracy", "per_second"};
  const bool rate =
      unit.ends_with("/s") || std::any_of(rates.begin(), rates.end(), [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
      });
  return rate ? Direction::higher_is_better : Direction::lower_is_better;
}

}  // namespace tandem::specs
