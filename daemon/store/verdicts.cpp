// The verdicts of the screens, and what confirmed steps leave behind.
#include <cmath>

#include "daemon/report/verdict_text.hpp"
#include "daemon/store/database.hpp"
#include "daemon/store/history_text.hpp"

namespace tandem::daemon::store {
namespace {

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
  stored.outcome = row.text(6);
  stored.note = row.text(7);
  stored.verdict = report::verdict_from_text(row.text(8));
  stored.history = history_from_text(row.text(9));
  stored.seed = static_cast<std::uint64_t>(row.number(10));
  stored.at = row.number(11);
  stored.definition = row.text(12);
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
        .with(verdict.outcome)
        .with(verdict.note)
        .with(report::verdict_text(verdict.verdict))
        .with(history_text(verdict.history))
        .with(static_cast<std::int64_t>(verdict.seed))
        .with(verdict.at)
        .with(verdict.definition)
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
