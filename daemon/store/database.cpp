#include "daemon/store/database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "daemon/store/schema.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

constexpr int busy_milliseconds = 5000;
constexpr int current_version = static_cast<int>(schema_steps.size());

int pragma(SQLite::Database& connection, const char* name) {
  return connection.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

/// Throws Error unless the file is a store that this program can read. True if there is nothing in it yet.
bool is_empty(SQLite::Database& connection) {
  const int version = pragma(connection, "user_version");
  if (version == 0 && connection.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) return true;
  if (version == 0 || pragma(connection, "application_id") != application_id) {
    throw Error("it is an SQLite file of something else");
  }
  if (version > current_version) {
    throw Error(fmt::format(
        "its format is version {}, and this program knows versions up to {}; use the newer program", version,
        current_version));
  }
  return false;
}

void bring_up_to_date(SQLite::Database& connection) {
  if (!is_empty(connection) && pragma(connection, "user_version") == current_version) return;
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  // Looked at again, for another process may have done it while this one waited.
  is_empty(connection);
  for (int version = pragma(connection, "user_version"); version < current_version; ++version) {
    connection.exec(schema_steps[static_cast<std::size_t>(version)]);
  }
  connection.exec(fmt::format("PRAGMA application_id = {}", application_id));
  connection.exec(fmt::format("PRAGMA user_version = {}", current_version));
  transaction.commit();
}

void prepare_for_writing(SQLite::Database& connection) {
  if (connection.execAndGet("PRAGMA journal_mode = WAL").getString() != "wal") {
    throw Error("its file system cannot share a write-ahead log between processes");
  }
  connection.exec("PRAGMA synchronous = FULL");
  connection.exec("PRAGMA foreign_keys = ON");
  connection.exec("PRAGMA journal_size_limit = 1048576");
  // Someone who may not write in the directory can read only where the log and its index lie there already.
  int persist = 1;
  connection.check(sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_PERSIST_WAL, &persist));
  bring_up_to_date(connection);
}

}  // namespace

Query::Query(SQLite::Statement& statement) : statement_(statement) {}

Query::~Query() {
  // The result repeats the error of a failed step, which was thrown already.
  static_cast<void>(statement_.tryReset());
}

Query& Query::with(std::string_view text) {
  statement_.bind(++bound_, std::string(text));
  return *this;
}

Query& Query::with(std::int64_t number) {
  statement_.bind(++bound_, number);
  return *this;
}

Query& Query::with(double number) {
  statement_.bind(++bound_, number);
  return *this;
}

Query& Query::with(const WatchKey& key) {
  return with(key.watch).with(key.platform);
}

Query& Query::with_or_null(const std::optional<std::string>& text) {
  if (text) return with(*text);
  statement_.bind(++bound_);
  return *this;
}

bool Query::next() {
  return statement_.executeStep();
}

void Query::run() {
  while (next()) {
  }
}

std::string Query::text(int column) const {
  return statement_.getColumn(column).getString();
}

std::int64_t Query::number(int column) const {
  return statement_.getColumn(column).getInt64();
}

double Query::real(int column) const {
  return statement_.getColumn(column).getDouble();
}

std::int64_t limit(std::size_t rows) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(rows, most));
}

Store::Database::Database(const std::filesystem::path& file, Mode mode) : file_(file) {
  std::error_code ignored;
  if (mode == Mode::read && !std::filesystem::exists(file, ignored)) {
    throw InputError(fmt::format("{}: there is no such file; no daemon has run with this state directory yet",
                                 file.string()));
  }
  try {
    open(mode);
  } catch (const std::exception& error) {
    fail(error);
  }
}

Store::Database::~Database() = default;

void Store::Database::open(Mode mode) {
  const int flags = mode == Mode::read ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  connection_ = std::make_unique<SQLite::Database>(file_.string(), flags, busy_milliseconds);
  if (mode == Mode::write) {
    prepare_for_writing(*connection_);
  } else if (is_empty(*connection_) || pragma(*connection_, "user_version") != current_version) {
    throw Error("its format is not the current one yet; the daemon makes it so when it starts");
  }
}

void Store::Database::read(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    fail(error);
  }
}

void Store::Database::write(const std::function<void()>& work) {
  read([&] {
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    work();
    transaction.commit();
  });
}

Store::Soundness Store::Database::check(std::chrono::milliseconds at_most) {
  using Clock = std::chrono::steady_clock;
  constexpr int instructions_between_looks = 10'000;
  auto give_up = Clock::now() + at_most;
  const auto is_late = [](void* until) {
    return Clock::now() > *static_cast<Clock::time_point*>(until) ? 1 : 0;
  };
  sqlite3_progress_handler(connection_->getHandle(), instructions_between_looks, is_late, &give_up);
  Soundness soundness = Soundness::sound;
  std::string found = "ok";
  try {
    found = connection_->execAndGet("PRAGMA quick_check(1)").getString();
  } catch (const SQLite::Exception& error) {
    sqlite3_progress_handler(connection_->getHandle(), 0, nullptr, nullptr);
    if ((error.getErrorCode() & 0xff) != SQLITE_INTERRUPT) throw;
    soundness = Soundness::not_finished;
  }
  sqlite3_progress_handler(connection_->getHandle(), 0, nullptr, nullptr);
  if (found != "ok") throw DamagedStore(found);
  return soundness;
}

void Store::Database::run_outside_transaction(const char* sql) {
  connection_->exec(sql);
}

SQLite::Statement& Store::Database::prepared(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return *known->second;
  std::string text(sql);
  auto statement = std::make_unique<SQLite::Statement>(*connection_, text);
  return *statements_.emplace(std::move(text), std::move(statement)).first->second;
}

std::int64_t Store::Database::scope(const WatchKey& key) {
  Query(prepared("INSERT OR IGNORE INTO scope (watch, platform) VALUES (?, ?)")).with(key).run();
  Query query(prepared("SELECT id FROM scope WHERE watch = ? AND platform = ?"));
  if (!query.with(key).next()) throw Error("a watch that was just written is not there");
  return query.number(0);
}

void Store::Database::fail(const std::exception& error) const {
  const auto* sqlite = dynamic_cast<const SQLite::Exception*>(&error);
  const int code = sqlite != nullptr ? sqlite->getErrorCode() & 0xff : SQLITE_OK;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || dynamic_cast<const DamagedStore*>(&error)) {
    throw DamagedStore(fmt::format("{}: {}", file_.string(), error.what()));
  }
  // What does not fit into a row is the doing of whoever wrote it; another row does.
  if (code == SQLITE_TOOBIG || code == SQLITE_CONSTRAINT) {
    throw Error(fmt::format("{}: {}", file_.string(), error.what()));
  }
  throw HostError(fmt::format("{}: {}", file_.string(), error.what()));
}

Store::Store(const std::filesystem::path& file, Mode mode)
    : database_(std::make_unique<Database>(file, mode)) {}

Store::~Store() = default;

}  // namespace tandem::daemon::store
