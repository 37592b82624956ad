#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "builders/printable.hpp"
#include "daemon/report/iso_time.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/wording.hpp"

namespace tandem::daemon::report {
namespace {

using Row = std::array<std::string, 8>;

/// Foreign text could otherwise move the cursor or make a second line.
std::string shown(const std::string& text, std::size_t limit) {
  return builders::printable(text, limit);
}

std::int64_t born(const Record& record) {
  return record.life.empty() ? 0 : record.life.front().at;
}

std::string state_cell(const Record& record) {
  if (record.state == RecordState::noted) return name_of(record.kind);
  std::string cell = record.kind == RecordKind::regression ? "" : fmt::format("{}, ", name_of(record.kind));
  cell += name_of(record.state);
  const std::string by = shown(short_commit(fixing_commit(record)), 8);
  return by.empty() ? cell : fmt::format("{} by {}", cell, by);
}

Row row_of(const Record& record) {
  const bool range = record.kind == RecordKind::accumulated;
  const builders::Commit& commit =
      range || record.kind == RecordKind::not_reproduced || record.kind == RecordKind::layout
          ? record.treatment
          : record.culprit;
  return {shown(record.id, 16),
          iso_time(born(record)).substr(0, 10),
          state_cell(record),
          shown(change_phrase(record.metric, reported_ratio(record)), 40),
          shown(record.benchmark, 60),
          shown(fmt::format("{} ({})", record.key.watch, record.key.platform), 40),
          shown(short_commit(commit.id), 8),
          range ? fmt::format("(since {}, by no single commit)", shown(short_commit(record.control.id), 8))
                : shown(commit.subject, 60)};
}

/// In characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string records_table(const std::vector<Record>& records) {
  if (records.empty()) return "no records\n";
  std::vector<const Record*> sorted;
  sorted.reserve(records.size());
  for (const Record& record : records) sorted.push_back(&record);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Record* one, const Record* other) { return born(*one) < born(*other); });

  std::vector<Row> rows = {{"ID", "DATE", "STATE", "CHANGE", "BENCHMARK", "WATCH", "COMMIT", "SUBJECT"}};
  for (const Record* record : sorted) rows.push_back(row_of(*record));
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace tandem::daemon::report
