#pragma once

#include "analysis/summary.hpp"
#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// What is said about the values of one series. Without values, and without statistics of the program's own,
/// a summary is empty; without control so are the last two.
struct SeriesStatistics {
  analysis::Summary treatment;
  analysis::Summary control;
  analysis::Summary difference;  ///< percentiles reflected
};

/// The usual statistics, then those that the record names; what the program itself gave wins.
[[nodiscard]] SeriesStatistics statistics_of(const RunRecord& record, const ReportedSeries& series);

/// Programs that give statistics alone have a control without values.
[[nodiscard]] bool has_control(const ReportedSeries& series);

/// Nothing if it is not there, or there without a value.
[[nodiscard]] std::optional<double> statistic(const analysis::Summary& summary, const std::string& name);

/// The names that the record asks for beside the usual ones, each once.
[[nodiscard]] std::vector<std::string> further_statistics(const RunRecord& record);

/// One name for each series, in their order: its key, and where a key comes again "NET latency (2)".
[[nodiscard]] std::vector<std::string> keys_of(const RunRecord& record);

}  // namespace tandem::daemon::harness
