#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/store/store.hpp"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

// The only place that speaks to SQLite. Used by the files of this folder only.
namespace tandem::daemon::store {

/// One use of a prepared statement: values are bound in the order of their question marks, rows are read one
/// by one, and at the end of the scope it is reset, so that no read stays open.
class Query {
 public:
  explicit Query(SQLite::Statement& statement);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& with(std::string_view text);
  Query& with(std::int64_t number);
  Query& with(double number);
  Query& with(const WatchKey& key);                             ///< two values
  Query& with_or_null(const std::optional<std::string>& text);  ///< null if there is none

  /// Goes to the next row; false after the last.
  bool next();
  /// To the end, of a statement that gives no rows.
  void run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] double real(int column) const;

 private:
  SQLite::Statement& statement_;
  int bound_ = 0;
};

/// A number of rows as LIMIT takes it.
[[nodiscard]] std::int64_t limit(std::size_t rows);

/// An open file with its statements, prepared once each. What SQLite has to complain about inside `read` and
/// `write`, and an unreadable value, becomes an Error that names the file.
struct Store::Database {
  Database(const std::filesystem::path& file, Mode mode);
  ~Database();

  void read(const std::function<void()>& work);
  /// One transaction: all of it or, if anything throws, nothing.
  void write(const std::function<void()>& work);

  /// As Store::check, inside `read` only, and so is the next.
  [[nodiscard]] Soundness check(std::chrono::milliseconds at_most);
  void run_outside_transaction(const char* sql);
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  [[nodiscard]] SQLite::Statement& prepared(std::string_view sql);
  /// The row of the scope, made if need be; inside `write` only.
  [[nodiscard]] std::int64_t scope(const WatchKey& key);
  /// Inside `write` only.
  void save(const Record& record);
  /// What the record is now, changed and saved; Error if it is not there. Inside `write` only, which keeps
  /// other processes from writing in between.
  [[nodiscard]] Record save(const RecordChange& change);
  /// Returns its id. Inside `write` only, and so is the next.
  std::int64_t add(const Request& request);
  void update(const Request& request);

 private:
  void open(Mode mode);
  [[noreturn]] void fail(const std::exception& error) const;

  std::filesystem::path file_;
  std::unique_ptr<SQLite::Database> connection_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>, std::less<>> statements_;
};

/// A screen's history as lines of text: the settings, then one line per launch, "-" for a failed one. Doubles
/// are written in the shortest form that reads back as the same bits, so a continued screen is the
/// uninterrupted one. Reading anything else than what was written throws Error.
[[nodiscard]] std::string history_text(const analysis::ScreenHistory& history);
[[nodiscard]] analysis::ScreenHistory history_from_text(std::string_view text);

}  // namespace tandem::daemon::store
