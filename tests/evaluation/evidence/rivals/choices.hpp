#pragma once

#include <cstddef>

namespace tandem::evaluation::rival {

/// In how many ways so many can be taken of so many; 0 where there are not enough.
[[nodiscard]] inline double choices(std::size_t of, std::size_t taken) {
  if (taken > of) return 0;
  double ways = 1;
  for (std::size_t i = 0; i < taken; ++i) {
    ways = ways * static_cast<double>(of - i) / static_cast<double>(i + 1);
  }
  return ways;
}

}  // namespace tandem::evaluation::rival
