// Records: whole reports as text, with the columns that they are looked up by.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/records/record_json.hpp"
#include "daemon/store/database.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

constexpr std::size_t id_digits = 16;
constexpr std::size_t fewest_digits = 4;
constexpr std::size_t most_named = 8;

/// Those of is_alive, as a query asks for them.
constexpr std::array alive = {RecordState::open, RecordState::acknowledged, RecordState::partly_fixed};

/// Of a row that begins with the benchmark and the report. JSON cannot hold every name that a program may
/// print; the column does.
Record record_from(const Query& row) {
  Record record = report::record_from_json(row.text(1));
  record.benchmark = row.text(0);
  return record;
}

template <class Enum>
std::optional<std::string> name_or_none(const std::optional<Enum>& value) {
  return value ? std::optional<std::string>(name_of(*value)) : std::nullopt;
}

/// The prefix in small letters; InputError if no id can begin like this.
std::string checked_prefix(const std::string& text) {
  std::string prefix = text;
  for (char& c : prefix) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool hexadecimal = prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal || prefix.size() < fewest_digits || prefix.size() > id_digits) {
    throw InputError(fmt::format("\"{}\" is no report's id; write {} to {} hexadecimal digits", text,
                                 fewest_digits, id_digits));
  }
  return prefix;
}

}  // namespace

void Store::Database::save(const Record& record) {
  Query(prepared("INSERT INTO record (id, scope, benchmark, kind, state, report) VALUES (?, ?, ?, ?, ?, ?) "
                 "ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, benchmark = excluded.benchmark, "
                 "kind = excluded.kind, state = excluded.state, report = excluded.report"))
      .with(record.id)
      .with(scope(record.key))
      .with(record.benchmark)
      .with(name_of(record.kind))
      .with(name_of(record.state))
      .with(report::record_json(record))
      .run();
}

Record Store::Database::save(const RecordChange& change) {
  std::optional<Record> known;
  {
    Query query(prepared("SELECT benchmark, report FROM record WHERE id = ?"));
    if (!query.with(change.id).next()) {
      throw Error(fmt::format("there is no record {} that could be changed", change.id));
    }
    known = record_from(query);
  }
  Record changed = change.change(std::move(*known));
  save(changed);
  return changed;
}

std::vector<Record> Store::save_records(const std::vector<Record>& records,
                                        const std::vector<RecordChange>& changes,
                                        const std::vector<Request>& requests) {
  std::vector<Record> changed;
  database_->write([&] {
    for (const Record& record : records) database_->save(record);
    for (const RecordChange& change : changes) changed.push_back(database_->save(change));
    for (const Request& request : requests) database_->add(request);
  });
  return changed;
}

std::vector<Record> Store::living(const std::optional<WatchKey>& key) const {
  std::vector<Record> found;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT benchmark, report FROM record JOIN scope ON scope.id = record.scope "
        "WHERE state IN (?, ?, ?) AND watch = coalesce(?, watch) AND platform = coalesce(?, platform) "
        "ORDER BY position"));
    for (const RecordState state : alive) query.with(name_of(state));
    query.with_or_null(key ? std::optional(key->watch) : std::nullopt)
        .with_or_null(key ? std::optional(key->platform) : std::nullopt);
    while (query.next()) found.push_back(record_from(query));
  });
  return found;
}

std::vector<Record> Store::records(const RecordFilter& filter) const {
  std::vector<Record> found;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT benchmark, report FROM record JOIN scope ON scope.id = record.scope "
        "WHERE watch = coalesce(?, watch) AND platform = coalesce(?, platform) "
        "AND benchmark = coalesce(?, benchmark) AND kind = coalesce(?, kind) AND state = coalesce(?, state) "
        "ORDER BY position"));
    query.with_or_null(filter.key ? std::optional(filter.key->watch) : std::nullopt)
        .with_or_null(filter.key ? std::optional(filter.key->platform) : std::nullopt)
        .with_or_null(filter.benchmark)
        .with_or_null(name_or_none(filter.kind))
        .with_or_null(name_or_none(filter.state));
    while (query.next()) found.push_back(record_from(query));
  });
  return found;
}

std::optional<Record> Store::record(const std::string& id_prefix) const {
  const std::string prefix = checked_prefix(id_prefix);
  std::vector<std::string> ids;
  std::optional<Record> found;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT benchmark, report, id FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"));
    // 'g' comes after every hexadecimal digit.
    query.with(prefix).with(prefix + "g").with(limit(most_named + 1));
    while (query.next()) {
      ids.push_back(query.text(2));
      if (ids.size() == 1) found = record_from(query);
    }
  });
  if (ids.size() == 1) return found;
  if (ids.empty()) {
    if (prefix.size() == id_digits) return std::nullopt;
    throw InputError(fmt::format("no report's id begins with \"{}\"", id_prefix));
  }
  const bool more = ids.size() > most_named;
  ids.resize(std::min(ids.size(), most_named));
  throw InputError(fmt::format("\"{}\" fits several reports: {}{}; write more digits", id_prefix,
                               fmt::join(ids, ", "), more ? " and others" : ""));
}

}  // namespace tandem::daemon::store
