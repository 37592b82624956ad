#include "daemon/harness/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/harness/series_statistics.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

using Row = std::vector<std::string>;

/// Rows after which the heading comes again.
constexpr std::size_t page = 40;

/// Foreign text could otherwise move the cursor or make a second line. Where it is cut, it says so.
std::string shown(const std::string& text, std::size_t limit) {
  std::string whole = printable(text, text.size() * 3);
  // U+0080 to U+009F are control characters too; U+009B begins a terminal's commands.
  for (auto at = whole.find('\xC2'); at != std::string::npos; at = whole.find('\xC2', at + 1)) {
    if (static_cast<unsigned char>(whole[at + 1]) < 0xA0) whole.replace(at, 2, " ");
  }
  if (whole.size() <= limit) return whole;
  return printable(whole, limit - 1) + "…";
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

/// Those that have no column of their own.
Row further_columns(const RunRecord& record) {
  Row names;
  for (const std::string& name : record.statistics) {
    const bool shown_already = name == "p50" || name == "MAD" || name == "p10" || name == "p90";
    if (!shown_already && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Row heading(const RunRecord& record) {
  Row row = {"NAME", "UNIT", "N", "LAUNCHES", "MEDIAN", "MAD", "P10", "P90"};
  for (const std::string& name : further_columns(record)) row.push_back(shown(name, 20));
  if (any_control(record)) row.insert(row.end(), {"CONTROL", "DIFFERENCE", "VERDICT"});
  return row;
}

Row row_of(const RunRecord& record, const ReportedSeries& series, const std::string& key) {
  const SeriesStatistics statistics = statistics_of(record, series);
  const auto cell = [&](const char* name) { return digits(statistic(statistics.treatment, name)); };
  Row row = {shown(key, 60),
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

/// In characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Text to the left, numbers to the right.
std::string line_of(const Row& row, const std::vector<std::size_t>& widths, std::size_t verdict) {
  std::string line = " ";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string space(widths[i] - width(row[i]), ' ');
    const bool to_the_left = i < 2 || i == verdict;
    line += " " + (to_the_left ? row[i] + space : space + row[i]) + (i + 1 < row.size() ? " " : "");
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string table(const RunRecord& record) {
  const std::vector<std::string> keys = keys_of(record);
  std::vector<Row> rows;
  for (const bool whole_net : {true, false}) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if ((record.series[i].type == "NET") == whole_net)
        rows.push_back(row_of(record, record.series[i], keys[i]));
    }
  }
  const Row top = heading(record);
  const std::size_t verdict = any_control(record) ? top.size() - 1 : top.size();
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < top.size(); ++i) {
    widths.push_back(width(top[i]));
    for (const Row& row : rows) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % page == 0) text += line_of(top, widths, verdict);
    text += line_of(rows[i], widths, verdict);
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
  std::string text = head(record) + table(record);
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

}  // namespace tandem::daemon::harness
