// What drifts are seen by, and the surroundings in which it was measured.
#include <algorithm>

#include "daemon/store/database.hpp"

namespace tandem::daemon::store {

void Store::add_point(const WatchKey& key, const StoredPoint& point) {
  database_->write([&] {
    Query(database_->prepared(
              "INSERT INTO point (scope, benchmark, metric, span, anchor, commit_hash, value, deviation, "
              "environment, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (scope, benchmark, metric, span, anchor, commit_hash, environment) "
              "DO UPDATE SET value = excluded.value, deviation = excluded.deviation, at = excluded.at"))
        .with(database_->scope(key))
        .with(point.benchmark)
        .with(point.metric)
        .with(point.span)
        .with(point.anchor)
        .with(point.commit)
        .with(point.value)
        .with(point.deviation)
        .with(point.environment)
        .with(point.at)
        .run();
  });
}

std::vector<StoredPoint> Store::points(const WatchKey& key, const std::string& benchmark,
                                       const std::string& metric, const std::string& span,
                                       std::optional<std::size_t> newest) const {
  std::vector<StoredPoint> found;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT benchmark, metric, span, anchor, commit_hash, value, deviation, "
                            "environment, at FROM point JOIN scope ON scope.id = point.scope "
                            "WHERE watch = ? AND platform = ? AND benchmark = ? AND metric = ? AND span = ? "
                            "ORDER BY position DESC LIMIT ?"));
    query.with(key).with(benchmark).with(metric).with(span);
    query.with(newest ? limit(*newest) : std::int64_t{-1});
    while (query.next()) {
      found.push_back({query.text(0), query.text(1), query.text(2), query.text(3), query.text(4),
                       query.real(5), query.real(6), query.text(7), query.number(8)});
    }
  });
  std::reverse(found.begin(), found.end());
  return found;
}

bool Store::has_point(const WatchKey& key, const StoredPoint& point) const {
  bool there = false;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT 1 FROM point JOIN scope ON scope.id = point.scope WHERE watch = ? AND platform = ? AND "
        "benchmark = ? AND metric = ? AND span = ? AND anchor = ? AND commit_hash = ? AND environment = ?"));
    query.with(key).with(point.benchmark).with(point.metric).with(point.span);
    there = query.with(point.anchor).with(point.commit).with(point.environment).next();
  });
  return there;
}

std::optional<std::string> Store::environment(const std::string& name) const {
  std::optional<std::string> facts;
  database_->read([&] {
    Query query(database_->prepared("SELECT facts FROM environment WHERE name = ?"));
    if (query.with(name).next()) facts = query.text(0);
  });
  return facts;
}

void Store::set_environment(const std::string& name, const std::string& facts) {
  database_->write([&] {
    Query(database_->prepared("REPLACE INTO environment (name, facts) VALUES (?, ?)"))
        .with(name)
        .with(facts)
        .run();
  });
}

}  // namespace tandem::daemon::store
