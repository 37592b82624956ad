#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

// FAI-PEP's objects. A number that is none becomes null, bytes that are no text U+FFFD.
using Json = nlohmann::ordered_json;

/// Who measured what, where and when. What is empty is left out.
[[nodiscard]] Json meta_json(const RunRecord& record);

/// One series: type, metric, unit, values, num_runs, summary, and the control's where there is one.
[[nodiscard]] Json series_json(const RunRecord& record, const ReportedSeries& series);

/// All series by key.
[[nodiscard]] Json data_json(const RunRecord& record);

/// A summary as an object; a statistic without value is null.
[[nodiscard]] Json summary_json(const std::vector<std::pair<std::string, std::optional<double>>>& summary);

/// On one line, or indented for people.
enum class Shape { line, indented };
[[nodiscard]] std::string text_of(const Json& json, Shape shape);

/// The command as a shell takes it.
[[nodiscard]] std::string command_text(const std::vector<std::string>& command);

/// A whole run on one line, without its end: id, meta and data as FAI-PEP has them.
[[nodiscard]] std::string json_line(const RunRecord& record);

}  // namespace tandem::daemon::harness
