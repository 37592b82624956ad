#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "runners/pairing/samples.hpp"

namespace tandem::evaluation {

/// Mean and standard deviation; the deviation of fewer than two values is 0.
struct Moments {
  double mean = 0;
  double deviation = 0;
};
[[nodiscard]] Moments moments_of(std::span<const double> values);

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

/// Only the total multiplied: rare slices got dearer, the typical one did not.
[[nodiscard]] LaunchRow slowed_in_total(const LaunchRow& row, double factor);

/// The log-ratios multiplied: the same launches on a quieter or noisier host. The times of the sides stay.
[[nodiscard]] LaunchRow scaled(const LaunchRow& row, double factor);

/// Fields separated by tabs, without an end of line; and back. Nothing if the text is none.
[[nodiscard]] std::string line_of(const LaunchRow& row);
[[nodiscard]] std::optional<LaunchRow> row_in(std::string_view line);

/// Where launches come from: launches of one origin may be put together in any way.
struct Origin {
  std::string workload;          ///< "sort"
  std::string pairing;           ///< "alternate"
  std::string layouts = "same";  ///< "same": one executable on both sides; "other": linked in other ways
  double percent = 0;            ///< more real work, as counted in instructions: > 0 of the treatment's

  auto operator<=>(const Origin&) const = default;
};

/// One recorded launch; those of one decision share its number.
struct Sample {
  Origin origin;
  std::size_t decision = 0;
  LaunchRow launch;
};

/// One line per launch, read back in order; a last line that was cut off is passed over. Other parts read
/// what `live` and `power` leave in evaluation/launches/PART.tsv; tests/evaluation/recorded/traces.tsv has
/// the same form. Throws Error when a line is none. A file that is not there has no samples.
[[nodiscard]] std::vector<Sample> read_samples(const std::filesystem::path& file);
[[nodiscard]] std::string line_of(const Sample& sample);

/// The launches of each origin, in their order.
[[nodiscard]] std::map<Origin, std::vector<LaunchRow>> by_origin(std::span<const Sample> samples);

/// The launches of a trace of slices, WORKLOAD.PAIRING.csv with the columns launch, slice, swap, control_ns
/// and treatment_ns: both sides the same executable, `swap` saying which of them went first or had which
/// core. Throws Error when a line is none of a trace.
[[nodiscard]] std::vector<Sample> samples_of_trace(const std::filesystem::path& file);

}  // namespace tandem::evaluation
