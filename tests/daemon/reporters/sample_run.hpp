#pragma once

#include <filesystem>
#include <string>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// A run of one build: the whole net three times, an operator twice.
[[nodiscard]] RunRecord sample_run();

/// The same against a control, with a verdict.
[[nodiscard]] RunRecord sample_comparison();

[[nodiscard]] ReportedSeries series_of(const std::string& type, const std::string& metric,
                                       std::vector<double> values);

[[nodiscard]] std::string content(const std::filesystem::path& file);

/// The names in a directory, hidden ones too, in order.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& directory);

}  // namespace tandem::daemon::harness
