#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/launch_statistics.hpp"
#include "runners/pairing/samples.hpp"

namespace tandem::evaluation {

/// The slices of one side of a launch, in ns or whatever they were measured in.
struct SideRow {
  double median = 0;
  double mean = 0;
  double p10 = 0;
  double p90 = 0;

  bool operator==(const SideRow&) const = default;
};

/// What is kept of a launch: enough for every rule that judges it, without its slices.
struct LaunchRow {
  runners::Side first_slot = runners::Side::control;  ///< the coin
  std::size_t pairs = 0;
  analysis::LaunchStatistics statistics;  ///< what Tandem judges: ln(treatment / control)
  double log_mean = 0;                    ///< over the pairs, of ln(treatment / control)
  double log_deviation = 0;               ///< standard deviation of one pair
  /// Over the pairs that lie within 1.5 quartile ranges of the quartiles, of treatment - control: what Tango
  /// judges.
  std::size_t differences = 0;
  double difference_mean = 0;
  double difference_deviation = 0;
  SideRow control;
  SideRow treatment;

  bool operator==(const LaunchRow&) const = default;
};

/// Nothing of a launch without usable pairs.
[[nodiscard]] std::optional<LaunchRow> summarise(const runners::Launch& launch);

/// The two sides exchanged: what a fresh coin does to a recorded launch of equal builds.
[[nodiscard]] LaunchRow exchanged(const LaunchRow& row);

/// The treatment's times multiplied: a slowdown that hits every slice alike. The deviation of the differences
/// is left as it is.
[[nodiscard]] LaunchRow slowed(const LaunchRow& row, double factor);

/// Fields separated by tabs, without an end of line; and back. Nothing if the text is none.
[[nodiscard]] std::string line_of(const LaunchRow& row);
[[nodiscard]] std::optional<LaunchRow> row_in(std::string_view line);

}  // namespace tandem::evaluation
