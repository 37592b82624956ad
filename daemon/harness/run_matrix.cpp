#include "daemon/harness/run_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/statistics.hpp"

namespace tandem::daemon::harness {
namespace {

std::string matrix_row_of(const RunRecord& record) {
  std::string row = record.model == record.identifier ? record.model : record.model + " " + record.identifier;
  return record.metric.empty() || record.metric == "delay" ? row : row + " " + record.metric;
}

std::string column_of(const RunRecord& record) {
  return record.platform + (record.backend.empty() ? "" : " " + record.backend);
}

std::string cell_of(const RunRecord& record) {
  if (record.series.empty()) return "failed";
  const auto net = std::find_if(record.series.begin(), record.series.end(),
                                [](const auto& series) { return series.type == "NET"; });
  const ReportedSeries& shown = net == record.series.end() ? record.series.front() : *net;
  const auto median = analysis::median(shown.values);
  std::string cell = median ? fmt::format("{:.5g} {}", *median, shown.unit) : "no value";
  if (shown.verdict) cell += fmt::format(" x{:.3f} {}", shown.verdict->ratio, shown.verdict->outcome);
  if (!record.failure.empty()) cell += " (failed)";
  return cell;
}

/// Where a name was first seen decides its place.
std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::string matrix_text(const std::vector<RunRecord>& records) {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::map<std::pair<std::size_t, std::size_t>, std::string> cells;
  for (const RunRecord& record : records) {
    const std::size_t row = place_of(rows, matrix_row_of(record));
    cells[{row, place_of(columns, column_of(record))}] = cell_of(record);
  }
  const auto cell = [&](std::size_t row, std::size_t column) {
    const auto found = cells.find({row, column});
    return found == cells.end() ? std::string("-") : found->second;
  };
  std::size_t first = 0;
  for (const std::string& row : rows) first = std::max(first, row.size());
  std::string text = std::string(first, ' ');
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::size_t width = columns[column].size();
    for (std::size_t row = 0; row < rows.size(); ++row) width = std::max(width, cell(row, column).size());
    widths.push_back(width);
    text += fmt::format("  {:>{}}", columns[column], width);
  }
  text += "\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += fmt::format("{:<{}}", rows[row], first);
    for (std::size_t column = 0; column < columns.size(); ++column)
      text += fmt::format("  {:>{}}", cell(row, column), widths[column]);
    text += "\n";
  }
  return text;
}

}  // namespace tandem::daemon::harness
