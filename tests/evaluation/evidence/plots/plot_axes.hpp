#pragma once

#include <limits>
#include <string>
#include <vector>

#include "evaluation/evidence/plots/plot.hpp"

namespace tandem::evaluation::svg {

/// The values that an axis must have room for. A logarithmic one keeps 0 apart from the others.
struct Range {
  Plot::Scale scale = Plot::Scale::linear;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool zeros = false;

  /// Throws Error when a number is not finite, or less than 0 on a logarithmic axis.
  void take(double value);
};

struct Tick {
  double value = 0;
  std::string label;
};

/// An axis from one place of the drawing to another, ending at round values. On a logarithmic one that has
/// zeros they stand at the very beginning, before a gap.
struct Axis {
  Plot::Scale scale = Plot::Scale::linear;
  double low = 0;
  double high = 1;
  bool zeros = false;
  std::vector<Tick> ticks = {};
  double from = 0;
  double to = 1;

  /// Where a value is drawn.
  [[nodiscard]] double at(double value) const;
  /// Where the values above 0 begin; `from` when there is no gap.
  [[nodiscard]] double behind_gap() const;
};

/// What the lowest value must keep from the beginning of the axis: a bar needs something to stand on.
enum class Foot { none, below_lowest };

/// Ticks in steps of 1, 2 or 5 times a power of ten; decades where a logarithmic axis is long.
[[nodiscard]] Axis axis_over(const Range& range, Foot foot, int wanted_ticks);

/// "0.002", "30 000", or "2·10⁻⁵" where that would be long.
[[nodiscard]] std::string short_number(double value);

}  // namespace tandem::evaluation::svg
