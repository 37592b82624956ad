#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::specs {

enum class Direction { lower_is_better, higher_is_better };

/// One measured quantity of a benchmark. Time is in nanoseconds wherever a number stands alone.
///
/// Most metrics scatter and are judged by the trial. Two kinds have a rule of their own: with a `tolerance`
/// the medians are compared, and a change beyond that share is a change; with a `limit` a value is sound up
/// to it, and leaving it is the change, however far.
struct Metric {
  std::string name = "time";
  std::string unit = "ns";
  Direction direction = Direction::lower_is_better;
  std::optional<double> tolerance = {};  ///< as a share
  std::optional<double> limit = {};  ///< in the metric's unit; above it (below, if higher is better) is wrong
};

/// Which way is better, judged by the words that programs use: rates and accuracies point up, costs down.
[[nodiscard]] Direction usual_direction(std::string_view name, std::string_view unit);

}  // namespace tandem::specs
