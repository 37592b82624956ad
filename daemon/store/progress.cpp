// How far the walk of each watch has come, and what happened outside.
#include <fmt/format.h>

#include "daemon/store/database.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

/// A fetch that fails every minute would otherwise fill the disk in the end.
constexpr std::int64_t events_kept = 10'000;

}  // namespace

std::optional<std::string> Store::last_done(const WatchKey& key) const {
  std::optional<std::string> commit;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash FROM done JOIN scope ON scope.id = done.scope "
                            "WHERE watch = ? AND platform = ? ORDER BY position DESC LIMIT 1"));
    if (query.with(key).next()) commit = query.text(0);
  });
  return commit;
}

std::vector<std::string> Store::done(const WatchKey& key) const {
  std::vector<std::string> commits;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash FROM done JOIN scope ON scope.id = done.scope "
                            "WHERE watch = ? AND platform = ? ORDER BY position"));
    query.with(key);
    while (query.next()) commits.push_back(query.text(0));
  });
  return commits;
}

void Store::set_done(const WatchKey& key, const std::string& commit, std::int64_t at) {
  database_->write([&] {
    Query(database_->prepared("REPLACE INTO done (scope, commit_hash, at) VALUES (?, ?, ?)"))
        .with(database_->scope(key))
        .with(commit)
        .with(at)
        .run();
    Query(database_->prepared("DELETE FROM waiting_commit WHERE scope = ? AND commit_hash = ?"))
        .with(database_->scope(key))
        .with(commit)
        .run();
  });
}

void Store::save_waiting_commit(const WatchKey& key, const WaitingCommit& waiting) {
  database_->write([&] {
    Query(database_->prepared("INSERT INTO waiting_commit (scope, commit_hash, kind, sentence, tries, due) "
                              "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, commit_hash) DO UPDATE SET "
                              "kind = excluded.kind, sentence = excluded.sentence, tries = excluded.tries, "
                              "due = excluded.due"))
        .with(database_->scope(key))
        .with(waiting.commit)
        .with(waiting.kind)
        .with(waiting.sentence)
        .with(static_cast<std::int64_t>(waiting.tries))
        .with(waiting.due)
        .run();
  });
}

std::vector<WaitingCommit> Store::waiting_commits(const WatchKey& key) const {
  std::vector<WaitingCommit> commits;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash, kind, sentence, tries, due FROM waiting_commit "
                            "JOIN scope ON scope.id = waiting_commit.scope "
                            "WHERE watch = ? AND platform = ? ORDER BY position"));
    query.with(key);
    while (query.next()) {
      commits.push_back({query.text(0), query.text(1), query.text(2),
                         static_cast<std::size_t>(query.number(3)), query.number(4)});
    }
  });
  return commits;
}

std::optional<std::string> Store::start(const WatchKey& key) const {
  std::optional<std::string> commit;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT start FROM scope WHERE watch = ? AND platform = ? AND start IS NOT NULL"));
    if (query.with(key).next()) commit = query.text(0);
  });
  return commit;
}

void Store::set_start(const WatchKey& key, const std::string& commit) {
  database_->write([&] {
    const std::int64_t scope = database_->scope(key);
    Query(database_->prepared("UPDATE scope SET start = ? WHERE id = ?")).with(commit).with(scope).run();
  });
}

std::vector<WatchKey> Store::scopes() const {
  std::vector<WatchKey> keys;
  database_->read([&] {
    // What was calibrated by hand has a scope, too, but no walk.
    Query query(
        database_->prepared("SELECT watch, platform FROM scope WHERE start IS NOT NULL "
                            "OR id IN (SELECT scope FROM done) ORDER BY id"));
    while (query.next()) keys.push_back({query.text(0), query.text(1)});
  });
  return keys;
}

void Store::add_event(const StoredEvent& event) {
  database_->write([&] {
    Query(database_->prepared("INSERT INTO event (watch, kind, sentence, at) VALUES (?, ?, ?, ?)"))
        .with(event.watch)
        .with(event.kind)
        .with(event.sentence)
        .with(event.at)
        .run();
    Query(database_->prepared("DELETE FROM event WHERE position <= (SELECT max(position) FROM event) - ?"))
        .with(events_kept)
        .run();
  });
}

std::vector<StoredEvent> Store::newest_events(std::size_t newest) const {
  std::vector<StoredEvent> events;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT watch, kind, sentence, at FROM event ORDER BY position DESC LIMIT ?"));
    query.with(limit(newest));
    while (query.next()) {
      events.push_back({query.text(0), query.text(1), query.text(2), query.number(3)});
    }
  });
  return events;
}

std::vector<StoredEvent> Store::newest_events_of(const std::vector<std::string>& kinds,
                                                 std::size_t newest) const {
  std::vector<StoredEvent> events;
  if (kinds.empty()) return events;
  database_->read([&] {
    const std::vector<std::string> marks(kinds.size(), "?");
    Query query(database_->prepared(fmt::format(
        "SELECT watch, kind, sentence, at FROM event WHERE kind IN ({}) ORDER BY position DESC LIMIT ?",
        fmt::join(marks, ", "))));
    for (const std::string& kind : kinds) query.with(kind);
    query.with(limit(newest));
    while (query.next()) {
      events.push_back({query.text(0), query.text(1), query.text(2), query.number(3)});
    }
  });
  return events;
}

}  // namespace tandem::daemon::store
