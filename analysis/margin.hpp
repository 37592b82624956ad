#pragma once

#include <optional>
#include <string>

namespace tandem::analysis {

/// What decides how small a change of a benchmark is worth knowing.
struct MarginFacts {
  double configured = 0.01;  ///< as a share
  /// ω, the deviation of a log-ratio over relinkings. Nothing: not known.
  std::optional<double> layout_spread = std::nullopt;
  double seconds_per_iteration = 0;  ///< 0: not known
};

/// δ, and which of the demands on it is the largest.
struct Margin {
  double value = 0.01;  ///< as a share
  std::string why;      ///< a clause for the report, such as "twice the layout spread of 0.80 %"
};

/// The margin a benchmark is judged with, never below the configured one: at least twice the layout spread,
/// because smaller changes come and go with any commit; four times for a body under 20 ns, where the place of
/// a few instructions is all there is; at least 5 % for an iteration over 1 s, of which no screen gets many.
/// Throws InputError when the configured margin is not a positive share, Error when a fact is not a number.
[[nodiscard]] Margin margin_of(const MarginFacts& facts);

}  // namespace tandem::analysis
