// What keeps the file sound and of bounded size.
#include <algorithm>
#include <filesystem>

#include "daemon/store/database.hpp"

namespace tandem::daemon::store {
namespace {

/// A branch may be put back to where it was: what is off the line stays for so many rows.
constexpr std::int64_t rows_off_the_line = 10'000;
/// A month's drift rests on the points since its anchor.
constexpr std::int64_t points_kept = 2'000;
constexpr std::uint64_t least_worth_compacting = std::uint64_t{8} << 20U;

/// Rows of commits that are too old: those on the line by their age, the others by their row.
std::string too_old(const char* table) {
  const std::string name = table;
  return " WHERE " + name +
         ".scope = ?1 AND coalesce((SELECT age FROM temp.kept WHERE kept.commit_hash = " + name +
         ".commit_hash) >= ?2, " + name + ".position <= (SELECT max(position) FROM " + name + ") - ?3)";
}

}  // namespace

std::string Store::id() const {
  std::string id;
  database_->read([&] {
    Query query(database_->prepared("SELECT id FROM identity LIMIT 1"));
    if (query.next()) id = query.text(0);
  });
  return id;
}

Store::Soundness Store::check(std::chrono::milliseconds at_most) const {
  Soundness soundness = Soundness::sound;
  database_->read([&] { soundness = database_->check(at_most); });
  return soundness;
}

std::map<std::string, std::int64_t> Store::future_commits() const {
  std::map<std::string, std::int64_t> seen;
  database_->read([&] {
    Query query(database_->prepared("SELECT commit_hash, seen_at FROM future_commit"));
    while (query.next()) seen.emplace(query.text(0), query.number(1));
  });
  return seen;
}

void Store::note_future_commits(const std::vector<std::string>& commits, std::int64_t seen_at) {
  if (commits.empty()) return;
  database_->write([&] {
    for (const std::string& commit : commits) {
      Query(database_->prepared("INSERT OR IGNORE INTO future_commit (commit_hash, seen_at) VALUES (?, ?)"))
          .with(commit)
          .with(seen_at)
          .run();
    }
  });
}

std::set<std::string> Store::forget_old(const WatchKey& key, const Keeping& keeping) {
  std::set<std::string> logs;
  database_->read([&] {
    database_->run_outside_transaction(
        "CREATE TEMP TABLE IF NOT EXISTS kept (commit_hash TEXT PRIMARY KEY, age INTEGER NOT NULL)");
  });
  database_->write([&] {
    const std::int64_t scope = database_->scope(key);
    Query(database_->prepared("DELETE FROM temp.kept")).run();
    for (std::size_t i = 0; i < keeping.line.size(); ++i) {
      Query(database_->prepared("INSERT OR REPLACE INTO temp.kept (commit_hash, age) VALUES (?, ?)"))
          .with(keeping.line[i])
          .with(limit(keeping.line.size() - 1 - i))
          .run();
    }
    for (const std::string& commit : keeping.needed) {
      Query(database_->prepared("INSERT OR REPLACE INTO temp.kept (commit_hash, age) VALUES (?, -1)"))
          .with(commit)
          .run();
    }
    {
      Query query(
          database_->prepared("SELECT commit_hash FROM build WHERE scope = ? "
                              "ORDER BY position DESC LIMIT -1 OFFSET ?"));
      query.with(scope).with(limit(keeping.logs));
      while (query.next()) logs.insert(query.text(0));
    }
    for (const char* table : {"verdict", "build"}) {
      Query(database_->prepared("DELETE FROM " + std::string(table) + too_old(table)))
          .with(scope)
          .with(limit(keeping.commits))
          .with(rows_off_the_line)
          .run();
    }
    // The first line of a history says how the screen was set up; the launches follow.
    Query(database_->prepared("UPDATE verdict SET history = substr(history, 1, instr(history, char(10)))" +
                              too_old("verdict") + " AND length(history) > instr(history, char(10))"))
        .with(scope)
        .with(limit(keeping.samples))
        .with(rows_off_the_line)
        .run();
    // Where all commits are walked, one on the line that is not listed here would be examined again.
    Query(database_->prepared(
              "DELETE FROM done WHERE scope = ? AND commit_hash NOT IN (SELECT commit_hash FROM temp.kept) "
              "AND position <= (SELECT max(position) FROM done) - ?"))
        .with(scope)
        .with(rows_off_the_line)
        .run();
    Query(database_->prepared(
              "DELETE FROM point WHERE position IN (SELECT position FROM (SELECT position, row_number() OVER "
              "(PARTITION BY benchmark, metric, span ORDER BY position DESC) AS place FROM point "
              "WHERE scope = ?) WHERE place > ?)"))
        .with(scope)
        .with(points_kept)
        .run();
    Query(database_->prepared("UPDATE build SET log = '' WHERE log <> '' AND position IN (SELECT position "
                              "FROM build WHERE scope = ? ORDER BY position DESC LIMIT -1 OFFSET ?)"))
        .with(scope)
        .with(limit(keeping.logs))
        .run();
    Query(database_->prepared("DELETE FROM temp.kept")).run();
  });
  return logs;
}

StoreSize Store::size() const {
  StoreSize size;
  database_->read([&] {
    const auto number = [&](const std::string& sql) {
      Query query(database_->prepared(sql));
      return query.next() ? static_cast<std::size_t>(query.number(0)) : 0;
    };
    const std::uint64_t page = number("PRAGMA page_size");
    size.bytes = page * number("PRAGMA page_count");
    size.free_bytes = page * number("PRAGMA freelist_count");
    size.commits = number("SELECT count(*) FROM done");
    size.verdicts = number("SELECT count(*) FROM verdict");
    size.builds = number("SELECT count(*) FROM build");
    size.points = number("SELECT count(*) FROM point");
    size.events = number("SELECT count(*) FROM event");
  });
  return size;
}

bool Store::compact() {
  const StoreSize now = size();
  if (now.free_bytes < least_worth_compacting || now.free_bytes < now.bytes / 4) return false;
  std::error_code error;
  const auto room = std::filesystem::space(database_->file().parent_path(), error);
  // It writes the new file once beside the old one and once into the log.
  if (error || room.available / 3 < now.bytes - now.free_bytes) return false;
  try {
    database_->read([&] { database_->run_outside_transaction("VACUUM"); });
  } catch (const DamagedStore&) {
    throw;
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace tandem::daemon::store
