#pragma once

#include <string>

namespace tandem::specs {

enum class Direction { lower_is_better, higher_is_better };

/// One measured quantity of a benchmark. Time is in nanoseconds wherever a number stands alone.
struct Metric {
  std::string name = "time";
  std::string unit = "ns";
  Direction direction = Direction::lower_is_better;
};

}  // namespace tandem::specs
