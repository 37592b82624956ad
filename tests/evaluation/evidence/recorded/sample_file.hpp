#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "evaluation/evidence/recorded/launch_row.hpp"

namespace tandem::evaluation {

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

}  // namespace tandem::evaluation
