#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/text_table.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

std::int64_t born(const Record& record) {
  return record.life.empty() ? 0 : record.life.front().at;
}

std::string state_cell(const Record& record) {
  if (record.state == RecordState::noted) return name_of(record.kind);
  std::string cell = record.kind == RecordKind::regression ? "" : fmt::format("{}, ", name_of(record.kind));
  cell += state_words(record);
  const std::string by = printable(short_commit(fixing_commit(record)), 8);
  return by.empty() || record.state == RecordState::partly_fixed ? cell : fmt::format("{} by {}", cell, by);
}

/// Names, commits and messages are other people's text: none of it may move the cursor or make a second line.
TableRow record_row(const Record& record) {
  const bool range = record.kind == RecordKind::accumulated;
  const builders::Commit& commit = is_step(record.kind) ? record.culprit : record.treatment;
  return {
      printable(record.id, 16),
      iso_time(born(record)).substr(0, 10),
      state_cell(record),
      printable(change_phrase(record.metric, reported_ratio(record)), 40),
      printable(record.benchmark, 60),
      printable(fmt::format("{} ({})", record.key.watch, record.key.platform), 40),
      printable(short_commit(commit.id), 8),
      range ? fmt::format("(since {}, by no single commit)", printable(short_commit(range_begin(record)), 8))
            : printable(commit.subject, 60)};
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
    (same == incidents.end() ? incidents.emplace_back() : *same).push_back(record);
  }
  return incidents;
}

/// Everything in a request was typed by someone, and an answer quotes programs.
std::string shown_text(const std::string& text) {
  return printable(text, 300);
}

std::string commit_words(const std::string& commit) {
  const bool hash = commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return shown_text(hash ? short_commit(commit) : commit);
}

std::string wish_words(const Request& request) {
  const std::string benchmark =
      request.benchmark.empty() ? "" : ", " + shown_text(request.benchmark) + " only";
  const std::string against = request.against.empty() ? "" : " against " + commit_words(request.against);
  switch (request.kind) {
    case Request::Kind::measure:
      return fmt::format("measure {}{}{}", commit_words(request.commit), against, benchmark);
    case Request::Kind::bisect:
      return fmt::format("find what changed after {} up to {}{}", commit_words(request.against),
                         commit_words(request.commit), benchmark);
    case Request::Kind::rerun:
      return fmt::format("confirm report {} once more", shown_text(request.record));
    case Request::Kind::confirm:
      return fmt::format("confirm the postponed report {}", shown_text(request.record));
  }
  return {};
}

}  // namespace

std::string records_table(const std::vector<Record>& records) {
  if (records.empty()) return "no records\n";
  const std::vector<Records> incidents = by_incident(records);
  std::vector<TableRow> rows = {{"ID", "DATE", "STATE", "CHANGE", "BENCHMARK", "WATCH", "COMMIT", "SUBJECT"}};
  for (const Records& incident : incidents) {
    for (const Record* record : incident) rows.push_back(record_row(*record));
  }
  const std::vector<std::string> lines = table_lines(rows, {Align::left});
  auto line = lines.begin();
  std::string text = *line++ + "\n";
  for (std::size_t i = 0; i < incidents.size(); ++i) {
    // Empty lines set records that belong together apart from the others.
    if (i > 0 && (incidents[i].size() > 1 || incidents[i - 1].size() > 1)) text += "\n";
    for (std::size_t j = 0; j < incidents[i].size(); ++j) text += *line++ + "\n";
  }
  return text;
}

std::string requests_text(const std::vector<Request>& requests) {
  if (requests.empty()) return "nothing was queued\n";
  std::string text;
  for (const Request& request : requests) {
    const WatchKey& key = request.key;
    const std::string scope = key.platform.empty()
                                  ? shown_text(key.watch)
                                  : fmt::format("{} ({})", shown_text(key.watch), shown_text(key.platform));
    text += fmt::format("{}  {}  {}, {}, by {} at {}\n", request.id, name_of(request.state),
                        wish_words(request), scope, shown_text(request.by), readable_time(request.at));
    if (request.state == Request::State::running && !request.progress.empty()) {
      text += fmt::format("   {}\n", shown_text(request.progress));
    }
    std::istringstream answer(request.answer);
    for (std::string line; std::getline(answer, line);) text += fmt::format("   {}\n", shown_text(line));
  }
  return text;
}

std::string requests_json(const std::vector<Request>& requests) {
  auto list = nlohmann::ordered_json::array();
  for (const Request& request : requests) {
    list.push_back({{"id", request.id},
                    {"kind", name_of(request.kind)},
                    {"state", name_of(request.state)},
                    {"watch", request.key.watch},
                    {"platform", request.key.platform},
                    {"commit", request.commit},
                    {"against", request.against},
                    {"benchmark", request.benchmark},
                    {"report", request.record},
                    {"by", request.by},
                    {"at", iso_time(request.at)},
                    {"progress", request.progress},
                    {"answer", request.answer}});
  }
  return document_text(list);
}

}  // namespace tandem::daemon::report
