#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/records/record_json.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/records/wording.hpp"

    namespace tandem::daemon::report {
  namespace {

  using RecordRow = std::array<std::string, 8>;

  /// Foreign text could otherwise move the cursor or make a second line.
  std::string shown(const std::string& text, std::size_t limit) {
    return printable(text, limit);
  }

  std::int64_t born(const Record& record) {
    return record.life.empty() ? 0 : record.life.front().at;
  }

  std::string state_cell(const Record& record) {
    if (record.state == RecordState::noted) return name_of(record.kind);
    std::string cell = record.kind == RecordKind::regression ? "" : fmt::format("{}, ", name_of(record.kind));
    cell += state_words(record);
    const std::string by = shown(short_commit(fixing_commit(record)), 8);
    return by.empty() || record.state == RecordState::partly_fixed ? cell : fmt::format("{} by {}", cell, by);
  }

  RecordRow row_of(const Record& record) {
    const bool range = record.kind == RecordKind::accumulated;
    const builders::Commit& commit = is_step(record.kind) ? record.culprit : record.treatment;
    return {shown(record.id, 16),
            iso_time(born(record)).substr(0, 10),
            state_cell(record),
            shown(change_phrase(record.metric, reported_ratio(record)), 40),
            shown(record.benchmark, 60),
            shown(fmt::format("{} ({})", record.key.watch, record.key.platform), 40),
            shown(short_commit(commit.id), 8),
            range
                ? fmt::format("(since {}, by no single commit)", shown(short_commit(range_begin(record)), 8))
                : shown(commit.subject, 60)};
  }

  /// In characters, not bytes.
  std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  using Records = std::vector<const Record*>;

  /// Those of one incident together, the incidents and the records in each by age.
  std::vector<Records> by_incident(const std::vector<Record>& records) {
    Records sorted;
    sorted.reserve(records.size());
    for (const Record& record : records) sorted.push_back(&record);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Record* one, const Record* other) { return born(*one) < born(*other); });
    std::vector<Records> incidents;
    for (const Record* record : sorted) {
      const auto same = std::find_if(incidents.begin(), incidents.end(), [&](const Records& group) {
        return !record->incident.empty() && group.front()->incident == record->incident;
      });
      if (same == incidents.end()) {
        incidents.push_back({record});
      } else {
        same->push_back(record);
      }
    }
    return incidents;
  }

  std::string line_of(const RecordRow& row,
                      const std::array<std::size_t, std::tuple_size_v<RecordRow>>& widths) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  }  // namespace

  std::string records_table(const std::vector<Record>& records) {
    if (records.empty()) return "no records\n";
    std::vector<std::vector<RecordRow>> groups;
    for (const Records& incident : by_incident(records)) {
      std::vector<RecordRow>& rows = groups.emplace_back();
      for (const Record* record : incident) rows.push_back(row_of(*record));
    }
    const RecordRow heading = {"ID", "DATE", "STATE", "CHANGE", "BENCHMARK", "WATCH", "COMMIT", "SUBJECT"};
    std::array<std::size_t, std::tuple_size_v<RecordRow>> widths{};
    const auto widen = [&](const RecordRow& row) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    };
    widen(heading);
    for (const auto& rows : groups) std::for_each(rows.begin(), rows.end(), widen);

    std::string text = line_of(heading, widths);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      // Empty lines set records that belong together apart from the others.
      if (i > 0 && (groups[i].size() > 1 || groups[i - 1].size() > 1)) text += "\n";
      for (const RecordRow& row : groups[i]) text += line_of(row, widths);
    }
    return text;
  }

}  // namespace tandem::daemon::report
