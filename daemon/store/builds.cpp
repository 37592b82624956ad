// How the builds ended.
#include <algorithm>

#include "daemon/store/database.hpp"

namespace tandem::daemon::store {

namespace {

StoredBuild build_from(const Query& row) {
  StoredBuild build;
  build.commit = row.text(0);
  build.succeeded = row.number(1) != 0;
  build.kind = row.text(2);
  build.sentence = row.text(3);
  build.log = row.text(4);
  build.at = row.number(5);
  build.last_lines = row.text(6);
  build.identity = row.text(7);
  return build;
}

}  // namespace

void Store::save_build(const WatchKey& key, const StoredBuild& build) {
  database_->write([&] {
    Query(database_->prepared("REPLACE INTO build (scope, commit_hash, succeeded, kind, sentence, log, at, "
                              "last_lines, identity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"))
        .with(database_->scope(key))
        .with(build.commit)
        .with(std::int64_t{build.succeeded})
        .with(build.kind)
        .with(build.sentence)
        .with(build.log)
        .with(build.at)
        .with(build.last_lines)
        .with(build.identity)
        .run();
  });
}

std::optional<StoredBuild> Store::build(const WatchKey& key, const std::string& commit) const {
  std::optional<StoredBuild> found;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash, succeeded, kind, sentence, log, at, last_lines, identity "
                            "FROM build JOIN scope ON scope.id = build.scope "
                            "WHERE watch = ? AND platform = ? AND commit_hash = ?"));
    if (query.with(key).with(commit).next()) found = build_from(query);
  });
  return found;
}

std::vector<std::string> Store::built_alike(const WatchKey& key, const std::string& identity) const {
  std::vector<std::string> commits;
  if (identity.empty()) return commits;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash FROM build JOIN scope ON scope.id = build.scope "
                            "WHERE watch = ? AND platform = ? AND identity = ? AND succeeded = 1 "
                            "ORDER BY position DESC"));
    query.with(key).with(identity);
    while (query.next()) commits.push_back(query.text(0));
  });
  return commits;
}

std::vector<StoredBuild> Store::failed_builds(const WatchKey& key, std::size_t newest) const {
  std::vector<StoredBuild> builds;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT commit_hash, succeeded, kind, sentence, log, at, last_lines, identity "
                            "FROM build JOIN scope ON scope.id = build.scope "
                            "WHERE watch = ? AND platform = ? AND succeeded = 0 "
                            "ORDER BY position DESC LIMIT ?"));
    query.with(key).with(limit(newest));
    while (query.next()) builds.push_back(build_from(query));
  });
  return builds;
}

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
