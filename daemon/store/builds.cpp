// How the builds ended.
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

}  // namespace tandem::daemon::store
