#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

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

/// Whether there is a control: its values, or the statistics alone if the program gives nothing else.
[[nodiscard]] bool has_control(const ReportedSeries& series);

/// Nothing if it is not there, or there without a value.
[[nodiscard]] std::optional<double> statistic(const analysis::Summary& summary, const std::string& name);

/// The names that the record asks for beside the usual ones, each once.
[[nodiscard]] std::vector<std::string> further_statistics(const RunRecord& record);

/// One name for each series, in their order: its key, and where a key comes again "NET latency (2)".
[[nodiscard]] std::vector<std::string> keys_of(const RunRecord& record);

// FAI-PEP's objects. NaN and infinity become null, and bytes that are not UTF-8 become U+FFFD.
using Json = nlohmann::ordered_json;

/// Who measured what, where and when. What is empty is left out.
[[nodiscard]] Json meta_json(const RunRecord& record);

/// One series: type, metric, unit, values, num_runs, summary, and the same of the control if there is one.
[[nodiscard]] Json series_json(const RunRecord& record, const ReportedSeries& series);

/// All series by key.
[[nodiscard]] Json data_json(const RunRecord& record);

/// On one line, or indented for people.
enum class Shape { line, indented };
[[nodiscard]] std::string text_of(const Json& json, Shape shape);

/// A whole run on one line, without its end: id, meta and data as FAI-PEP has them.
[[nodiscard]] std::string json_line(const RunRecord& record);

}  // namespace tandem::daemon::harness
