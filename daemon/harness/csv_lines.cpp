#include "daemon/harness/csv_lines.hpp"

#include <fmt/format.h>

#include "daemon/harness/series_statistics.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::harness {
namespace {

using Cells = std::vector<std::string>;

std::string quoted_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + quoted_cell(cell);
  return line + "\n";
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string time_text(std::int64_t seconds) {
  return seconds == 0 ? "" : iso_time(seconds);
}

Cells cells_of_run(const RunRecord& record) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(record.time.time_since_epoch()).count();
  return {record.id,
          time_text(seconds),
          record.run_type,
          record.platform,
          record.framework,
          record.backend,
          record.model,
          record.metric,
          record.identifier,
          record.treatment.commit,
          time_text(record.treatment.commit_time),
          record.control ? record.control->commit : ""};
}

void add_usual(Cells& cells, const analysis::Summary& summary) {
  for (const std::string& name : analysis::usual_statistics())
    cells.push_back(number(statistic(summary, name)));
}

std::string further_cell(const RunRecord& record, const analysis::Summary& summary) {
  std::string cell;
  for (const std::string& name : further_statistics(record)) {
    const auto value = statistic(summary, name);
    if (value) cell += fmt::format("{}{}={}", cell.empty() ? "" : " ", name, *value);
  }
  return cell;
}

void add_series_line(Cells& cells, const RunRecord& record, const ReportedSeries& series) {
  const SeriesStatistics statistics = statistics_of(record, series);
  for (const std::string& text : {series.type, series.metric, series.unit}) cells.push_back(text);
  cells.push_back(std::to_string(series.values.size()));
  cells.push_back(std::to_string(series.launches));
  add_usual(cells, statistics.treatment);
  add_usual(cells, statistics.control);
  add_usual(cells, statistics.difference);
  cells.push_back(further_cell(record, statistics.treatment));
  cells.push_back(series.verdict ? series.verdict->outcome : "");
  cells.push_back(series.verdict ? number(series.verdict->ratio) : "");
  cells.push_back(series.verdict ? number(series.verdict->low) : "");
  cells.push_back(series.verdict ? number(series.verdict->high) : "");
  cells.push_back(series.regressed ? "1" : "");
}

Cells columns() {
  Cells cells = {"id",    "time",         "run_type",   "platform", "framework",   "backend",
                 "model", "metric_group", "identifier", "commit",   "commit_time", "control_commit",
                 "type",  "metric",       "unit",       "values",   "launches"};
  for (const char* side : {"", "control_", "diff_"}) {
    for (const std::string& name : analysis::usual_statistics()) cells.push_back(side + name);
  }
  for (const char* name : {"further", "verdict", "ratio", "low", "high", "regressed", "failure"})
    cells.emplace_back(name);
  return cells;
}

}  // namespace

std::string csv_heading() {
  return csv_line(columns());
}

std::string csv_lines(const RunRecord& record) {
  std::string lines;
  for (const ReportedSeries& series : record.series) {
    Cells cells = cells_of_run(record);
    add_series_line(cells, record, series);
    cells.push_back(record.failure);
    lines += csv_line(cells);
  }
  if (!record.series.empty()) return lines;
  Cells cells = cells_of_run(record);
  cells.resize(columns().size() - 1);
  cells.push_back(record.failure);
  return csv_line(cells);
}

}  // namespace tandem::daemon::harness
