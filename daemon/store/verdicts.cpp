// The verdicts of the screens, and what confirmed steps leave behind.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "daemon/records/verdict_json.hpp"
#include "daemon/store/database.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {

namespace {

constexpr std::string_view none = "-";

template <class Number>
std::string written(Number value) {
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  if (error != std::errc{}) throw Error("a number of a screen's history cannot be written");
  return {buffer.data(), end};
}

std::string_view until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) throw Error("a screen's history ends too early");
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end + 1);
  return piece;
}

template <class Number>
Number number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    throw Error("a screen's history holds \"" + std::string(word.substr(0, 40)) +
                "\" where a number belongs");
  }
  return value;
}

}  // namespace

std::string history_text(const analysis::ScreenHistory& history) {
  const analysis::ScreenSettings& settings = history.settings;
  std::string text = written(settings.margin) + " " + written(settings.prior_sigma) + " ";
  text += settings.prior_sigma_total ? written(*settings.prior_sigma_total) : std::string(none);
  text += " " + written(settings.max_launches) + "\n";
  for (const auto& launch : history.launches) {
    text += launch ? written(launch->median) + " " + written(launch->total) : std::string(none);
    text += "\n";
  }
  return text;
}

analysis::ScreenHistory history_from_text(std::string_view text) {
  analysis::ScreenHistory history;
  history.settings.margin = number<double>(until(text, ' '));
  history.settings.prior_sigma = number<double>(until(text, ' '));
  if (const auto word = until(text, ' '); word != none)
    history.settings.prior_sigma_total = number<double>(word);
  history.settings.max_launches = number<std::size_t>(until(text, '\n'));
  while (!text.empty()) {
    std::string_view line = until(text, '\n');
    if (line == none) {
      history.launches.emplace_back();
      continue;
    }
    const double median = number<double>(until(line, ' '));
    history.launches.push_back(analysis::LaunchStatistics{median, number<double>(line)});
  }
  return history;
}

bool same_definition(const Definition& one, const Definition& other) {
  if (one.spec.empty() || other.spec.empty()) return true;
  return one.spec == other.spec &&
         (one.version.empty() || other.version.empty() || one.version == other.version);
}

namespace {

/// In the file: "spec/version", or nothing.
std::string definition_text(const Definition& definition) {
  return definition.spec.empty() ? "" : definition.spec + "/" + definition.version;
}

Definition definition_from_text(const std::string& text) {
  const std::size_t end = std::min(text.find('/'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

constexpr std::string_view columns =
    "SELECT commit_hash, control, benchmark, metric, unit, direction, outcome, note, verdict, history, seed, "
    "at, definition "
    "FROM verdict JOIN scope ON scope.id = verdict.scope WHERE watch = ? AND platform = ? ";

StoredVerdict verdict_from(const Query& row) {
  StoredVerdict stored;
  stored.commit = row.text(0);
  stored.control = row.text(1);
  stored.benchmark = row.text(2);
  stored.metric.name = row.text(3);
  stored.metric.unit = row.text(4);
  stored.metric.direction =
      row.number(5) == 0 ? specs::Direction::lower_is_better : specs::Direction::higher_is_better;
  const auto outcome = analysis::outcome_named(row.text(6));
  if (!outcome) throw Error(fmt::format("\"{}\" is no outcome of a verdict", row.text(6)));
  stored.outcome = *outcome;
  stored.note = row.text(7);
  stored.verdict = report::verdict_from_text(row.text(8));
  stored.history = history_from_text(row.text(9));
  stored.seed = static_cast<std::uint64_t>(row.number(10));
  stored.at = row.number(11);
  stored.definition = definition_from_text(row.text(12));
  return stored;
}

}  // namespace

std::vector<Record> Store::save_step(const WatchKey& key, const Step& step) {
  const StoredVerdict& verdict = step.verdict;
  std::vector<Record> changed;
  database_->write([&] {
    const std::int64_t scope = database_->scope(key);
    Query(
        database_->prepared(
            "REPLACE INTO verdict (scope, commit_hash, control, benchmark, metric, unit, direction, outcome, "
            "note, verdict, history, seed, at, definition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?)"))
        .with(scope)
        .with(verdict.commit)
        .with(verdict.control)
        .with(verdict.benchmark)
        .with(verdict.metric.name)
        .with(verdict.metric.unit)
        .with(std::int64_t{verdict.metric.direction == specs::Direction::higher_is_better})
        .with(analysis::name_of(verdict.outcome))
        .with(verdict.note)
        .with(report::verdict_text(verdict.verdict))
        .with(history_text(verdict.history))
        .with(static_cast<std::int64_t>(verdict.seed))
        .with(verdict.at)
        .with(definition_text(verdict.definition))
        .run();
    for (const Record& record : step.records) database_->save(record);
    for (const RecordChange& change : step.changes) changed.push_back(database_->save(change));
    for (const Request& request : step.requests) database_->add(request);
  });
  return changed;
}

std::vector<StoredVerdict> Store::verdicts(const WatchKey& key, const std::string& commit) const {
  std::vector<StoredVerdict> found;
  database_->read([&] {
    Query query(database_->prepared(std::string(columns) + "AND commit_hash = ? ORDER BY position"));
    query.with(key).with(commit);
    while (query.next()) found.push_back(verdict_from(query));
  });
  return found;
}

std::vector<StoredVerdict> Store::newest_verdicts(const WatchKey& key, std::size_t newest) const {
  std::vector<StoredVerdict> found;
  database_->read([&] {
    Query query(database_->prepared(std::string(columns) + "ORDER BY position DESC LIMIT ?"));
    query.with(key).with(limit(newest));
    while (query.next()) found.push_back(verdict_from(query));
  });
  return found;
}

std::vector<double> Store::null_effects(const WatchKey& key, const std::string& benchmark,
                                        const std::string& metric, std::size_t newest) const {
  std::vector<double> effects;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT verdict FROM verdict JOIN scope ON scope.id = verdict.scope WHERE watch = ? AND platform = ? "
        "AND benchmark = ? AND metric = ? AND outcome = 'unchanged' ORDER BY position DESC LIMIT ?"));
    query.with(key).with(benchmark).with(metric).with(limit(newest));
    while (query.next()) {
      effects.push_back(std::log(report::verdict_from_text(query.text(0)).ratio.estimate));
    }
  });
  return effects;
}

}  // namespace tandem::daemon::store
