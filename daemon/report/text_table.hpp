#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tandem::daemon::report {

enum class Align { left, right };
using TableRow = std::vector<std::string>;

/// The rows as lines without their ends: each column as wide as its widest cell in characters, two blanks
/// between columns, no blanks at the end of a line. All rows have as many cells as the first; columns beyond
/// those of `alignment` are aligned as its last says.
[[nodiscard]] inline std::vector<std::string> table_lines(const std::vector<TableRow>& rows,
                                                          const std::vector<Align>& alignment) {
  const auto width_of = [](const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const TableRow& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      const bool left = alignment[std::min(i, alignment.size() - 1)] == Align::left;
      line += (i == 0 ? "" : "  ") + (left ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

}  // namespace tandem::daemon::report
