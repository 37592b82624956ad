#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tandem::analysis {

/// Named statistics in the order they are shown: "mean", "p0", …, "stdev", "MAD", "cv". A value that does not
/// exist (cv of a mean of 0) is nothing.
using Summary = std::vector<std::pair<std::string, std::optional<double>>>;

/// FAI-PEP's usual ones: mean, p0, p10, p50, p90, p100, stdev, MAD, cv.
[[nodiscard]] const std::vector<std::string>& usual_statistics();

/// Percentiles "pNN.N" are interpolated linearly, the deviation is the population's, MAD is the plain median
/// of the distances from the median. p50 and MAD are always among them: FAI-PEP's own readers need both.
/// Empty values give an empty summary. The names are known to be right (specs reads them), the values finite;
/// otherwise it throws Error.
[[nodiscard]] Summary summarise(std::span<const double> values, const std::vector<std::string>& statistics);

/// The percentile at the same distance from the other end: "p0.1" for "p99.9". Any other name is itself.
[[nodiscard]] std::string reflected(const std::string& statistic);

/// Treatment minus control, by name; percentiles are reflected: p10 of the difference is the treatment's p10
/// minus the control's p90. Empty if one side is.
[[nodiscard]] Summary difference(std::span<const double> treatment, std::span<const double> control,
                                 const std::vector<std::string>& statistics);

}  // namespace tandem::analysis
