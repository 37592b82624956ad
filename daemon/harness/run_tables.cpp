#include "daemon/harness/run_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/statistics.hpp"
#include "daemon/harness/run_json.hpp"
#include "daemon/report/text_table.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

using report::Align;
using report::TableRow;

/// The heading comes again after so many rows.
constexpr std::size_t page = 40;

/// Foreign text on one line, which moves no cursor, with an ellipsis where it was cut.
std::string shown(const std::string& text, std::size_t limit) {
  const std::string whole = printable(text, std::string::npos);
  return whole.size() <= limit ? whole : printable(whole, limit - 1) + "…";
}

/// Five digits that mean something, without an exponent where that is readable.
std::string digits(const std::optional<double>& value) {
  if (!value) return "-";
  const double size = std::abs(*value);
  if (size == 0) return "0";
  if (!(size >= 1e-4 && size < 1e9)) return fmt::format("{:.4e}", *value);
  const int decimals = std::max(0, 4 - static_cast<int>(std::floor(std::log10(size))));
  return fmt::format("{:.{}f}", *value, decimals);
}

std::string percent(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string change(const std::optional<double>& treatment, const std::optional<double>& control) {
  if (!treatment || !control || *control == 0) return "-";
  return percent(*treatment / *control);
}

std::string verdict_cell(const ReportedSeries& series) {
  std::string cell;
  if (series.verdict) {
    cell = fmt::format("{} ({} to {})", shown(series.verdict->outcome, 40), percent(series.verdict->low),
                       percent(series.verdict->high));
  }
  if (series.regressed) cell += cell.empty() ? "regressed" : ", regressed";
  return cell;
}

bool any_control(const RunRecord& record) {
  return std::any_of(record.series.begin(), record.series.end(), has_control);
}

/// The statistics that the record asks for beside those in every table.
std::vector<std::string> further_columns(const RunRecord& record) {
  std::vector<std::string> names;
  for (const std::string& name : record.statistics) {
    const bool shown_already = name == "p50" || name == "MAD" || name == "p10" || name == "p90";
    if (!shown_already && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

TableRow heading(const RunRecord& record) {
  TableRow row = {"NAME", "UNIT", "N", "LAUNCHES", "MEDIAN", "MAD", "P10", "P90"};
  for (const std::string& name : further_columns(record)) row.push_back(shown(name, 20));
  if (any_control(record)) row.insert(row.end(), {"CONTROL", "DIFFERENCE", "VERDICT"});
  return row;
}

TableRow row_of(const RunRecord& record, const ReportedSeries& series, const std::string& key) {
  const SeriesStatistics statistics = statistics_of(record, series);
  const auto cell = [&](const char* name) { return digits(statistic(statistics.treatment, name)); };
  TableRow row = {shown(key, 60),
                  shown(series.unit, 20),
                  std::to_string(series.values.size()),
                  std::to_string(series.launches),
                  cell("p50"),
                  cell("MAD"),
                  cell("p10"),
                  cell("p90")};
  for (const std::string& name : further_columns(record)) row.push_back(cell(name.c_str()));
  if (any_control(record)) {
    const auto control = statistic(statistics.control, "p50");
    row.push_back(digits(control));
    row.push_back(change(statistic(statistics.treatment, "p50"), control));
    row.push_back(verdict_cell(series));
  }
  return row;
}

/// Whole nets before operators.
std::string series_table(const RunRecord& record) {
  const std::vector<std::string> keys = keys_of(record);
  std::vector<TableRow> rows = {heading(record)};
  for (const bool whole_net : {true, false}) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if ((record.series[i].type == "NET") == whole_net)
        rows.push_back(row_of(record, record.series[i], keys[i]));
    }
  }
  // Text to the left, numbers to the right.
  std::vector<Align> alignment(rows.front().size(), Align::right);
  alignment[0] = alignment[1] = Align::left;
  if (any_control(record)) alignment.back() = Align::left;
  const std::vector<std::string> lines = report::table_lines(rows, alignment);
  std::string text;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if ((i - 1) % page == 0) text += "  " + lines.front() + "\n";
    text += "  " + lines[i] + "\n";
  }
  return text;
}

std::string build_text(const ReportedBuild& build) {
  const std::string name = build.commit.empty() ? build.version : build.commit;
  const bool hash = name.size() == 40 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
  return name.empty() ? "-" : shown(hash ? name.substr(0, 12) : name, 60);
}

std::string head(const RunRecord& record) {
  std::string text = fmt::format("{} · {} · {}\n", shown(record.model, 80), shown(record.metric, 40),
                                 shown(record.identifier, 120));
  std::string where = shown(record.platform, 80);
  for (const std::string& part : {record.framework, record.backend}) {
    if (!part.empty()) where += ", " + shown(part, 40);
  }
  text += fmt::format("  on {}, {}", where, build_text(record.treatment));
  if (record.control) text += fmt::format(" against {}", build_text(*record.control));
  return text + "\n";
}

}  // namespace

std::string screen_text(const RunRecord& record) {
  std::string text = head(record) + series_table(record);
  const std::vector<std::string> keys = keys_of(record);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ReportedSeries& series = record.series[i];
    if (!series.info_string.empty())
      text += fmt::format("  {}: {}\n", shown(keys[i], 60), shown(series.info_string, 500));
  }
  if (!record.failure.empty()) {
    text += fmt::format("  failed: {}\n", shown(record.failure, 2000));
  } else if (record.series.empty()) {
    text += "  no results\n";
  }
  return text + "\n";
}

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

/// Names stand in the order in which they were first seen.
std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::string matrix_text(const std::vector<RunRecord>& records) {
  std::vector<std::string> names;
  std::vector<std::string> columns;
  std::map<std::pair<std::size_t, std::size_t>, std::string> cells;
  for (const RunRecord& record : records) {
    const std::size_t row = place_of(names, matrix_row_of(record));
    cells[{row, place_of(columns, column_of(record))}] = cell_of(record);
  }
  std::vector<TableRow> rows = {{""}};
  rows.front().insert(rows.front().end(), columns.begin(), columns.end());
  for (std::size_t row = 0; row < names.size(); ++row) {
    rows.push_back({names[row]});
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const auto found = cells.find({row, column});
      rows.back().push_back(found == cells.end() ? "-" : found->second);
    }
  }
  std::string text;
  for (const std::string& line : report::table_lines(rows, {Align::left, Align::right})) text += line + "\n";
  return text;
}

}  // namespace tandem::daemon::harness
