// What people asked for and what came of it.
#include <fmt/format.h>

#include "daemon/store/database.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

/// Of those that were answered.
constexpr std::int64_t requests_kept = 10'000;
/// A request that takes the daemon with it must not do so at every start.
constexpr std::int64_t most_attempts = 3;
constexpr std::string_view ended_thrice = "the daemon ended three times while it worked on this";
constexpr std::int64_t failed_code = 4;  // something outside failed

constexpr std::string_view request_columns =
    "SELECT id, kind, watch, platform, commit_hash, against, benchmark, record, wished_by, at, state, "
    "progress, answer, code, attempts, origin FROM request ";

template <class Enum>
Enum named(const std::string& name, std::initializer_list<Enum> all) {
  for (const Enum one : all) {
    if (name == name_of(one)) return one;
  }
  throw Error(fmt::format("\"{}\" is no word of a request", name));
}

Request request_from(const Query& row) {
  using Kind = Request::Kind;
  using Origin = Request::Origin;
  using State = Request::State;
  Request request;
  request.id = row.number(0);
  request.kind = named(row.text(1), {Kind::measure, Kind::bisect, Kind::rerun, Kind::confirm});
  request.key = {row.text(2), row.text(3)};
  request.commit = row.text(4);
  request.against = row.text(5);
  request.benchmark = row.text(6);
  request.record = row.text(7);
  request.by = row.text(8);
  request.at = row.number(9);
  request.state = named(row.text(10), {State::waiting, State::running, State::done, State::failed});
  request.progress = row.text(11);
  request.answer = row.text(12);
  request.code = static_cast<int>(row.number(13));
  request.attempts = static_cast<int>(row.number(14));
  request.origin = named(row.text(15), {Origin::person, Origin::tandem});
  return request;
}

}  // namespace

std::int64_t Store::Database::add(const Request& request) {
  Query(prepared("INSERT INTO request (kind, watch, platform, commit_hash, against, benchmark, record, "
                 "wished_by, at, state, progress, answer, origin) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
      .with(name_of(request.kind))
      .with(request.key)
      .with(request.commit)
      .with(request.against)
      .with(request.benchmark)
      .with(request.record)
      .with(request.by)
      .with(request.at)
      .with(name_of(request.state))
      .with(request.progress)
      .with(request.answer)
      .with(name_of(request.origin))
      .run();
  std::int64_t id = 0;
  {
    Query newest(prepared("SELECT max(id) FROM request"));
    if (newest.next()) id = newest.number(0);
  }
  Query(prepared("DELETE FROM request WHERE state IN ('done', 'failed') AND id <= ?"))
      .with(id - requests_kept)
      .run();
  return id;
}

void Store::Database::update(const Request& request) {
  Query(prepared("UPDATE request SET state = ?, progress = ?, answer = ?, code = ? WHERE id = ?"))
      .with(name_of(request.state))
      .with(request.progress)
      .with(request.answer)
      .with(std::int64_t{request.code})
      .with(request.id)
      .run();
}

std::int64_t Store::add_request(const Request& request) {
  std::int64_t id = 0;
  database_->write([&] { id = database_->add(request); });
  return id;
}

void Store::update_request(const Request& request) {
  database_->write([&] { database_->update(request); });
}

bool Store::update_waiting_request(const Request& request) {
  bool waits = false;
  database_->write([&] {
    {
      Query query(database_->prepared("SELECT 1 FROM request WHERE id = ? AND state = 'waiting'"));
      waits = query.with(request.id).next();
    }
    if (waits) database_->update(request);
  });
  return waits;
}

void Store::let_running_requests_wait() {
  database_->write([&] {
    Query(database_->prepared("UPDATE request SET state = 'waiting', progress = '', attempts = attempts + 1 "
                              "WHERE state = 'running'"))
        .run();
    Query(database_->prepared("UPDATE request SET state = 'failed', answer = ?, code = ? "
                              "WHERE state = 'waiting' AND attempts >= ?"))
        .with(ended_thrice)
        .with(failed_code)
        .with(most_attempts)
        .run();
  });
}

std::optional<Request> Store::request(std::int64_t id) const {
  std::optional<Request> found;
  database_->read([&] {
    Query query(database_->prepared(std::string(request_columns) + "WHERE id = ?"));
    if (query.with(id).next()) found = request_from(query);
  });
  return found;
}

std::vector<Request> Store::waiting_requests(const std::optional<std::string>& watch) const {
  std::vector<Request> found;
  database_->read([&] {
    Query query(database_->prepared(std::string(request_columns) +
                                    "WHERE state = 'waiting' AND watch = coalesce(?, watch) ORDER BY id"));
    query.with_or_null(watch);
    while (query.next()) found.push_back(request_from(query));
  });
  return found;
}

std::vector<Request> Store::newest_requests(std::size_t newest) const {
  std::vector<Request> found;
  database_->read([&] {
    Query query(database_->prepared(std::string(request_columns) + "ORDER BY id DESC LIMIT ?"));
    query.with(limit(newest));
    while (query.next()) found.push_back(request_from(query));
  });
  return found;
}

}  // namespace tandem::daemon::store
