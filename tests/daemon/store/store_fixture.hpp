#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

#include "daemon/report/sample_record.hpp"
#include "daemon/store/store.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::tests {

inline const daemon::WatchKey sample_key = {"pebble", "linux"};

/// A store in a directory of its own.
class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "tandem.db"; }
  [[nodiscard]] daemon::store::Store writer() const { return {file(), daemon::store::Store::Mode::write}; }
  [[nodiscard]] daemon::store::Store reader() const { return {file(), daemon::store::Store::Mode::read}; }

  TemporaryDirectory directory_;
};

/// A verdict, a record of its own and a level, all named after the number.
[[nodiscard]] daemon::store::Store::Step sample_step(int number);
[[nodiscard]] std::string step_commit(int number);
[[nodiscard]] std::string step_id(int number);
[[nodiscard]] daemon::store::StoredVerdict sample_verdict(const std::string& commit,
                                                          const std::string& benchmark);

/// The first column of the first row of what SQLite itself answers, past the store; or its complaint.
[[nodiscard]] std::string ask_sqlite(const std::filesystem::path& file, const std::string& sql);

/// Statements that must succeed, past the store.
void tell_sqlite(const std::filesystem::path& file, const std::string& sql);

/// Takes back what the fourth version of the schema and the later ones added.
inline constexpr const char* without_fourth_step =
    "DROP TABLE identity; DROP TABLE future_commit; DROP TABLE waiting_commit; DROP INDEX verdict_by_time; "
    "ALTER TABLE verdict DROP COLUMN definition; DROP TABLE request; DROP TABLE point; "
    "DROP TABLE null_screen; DROP TABLE environment; CREATE TABLE level (commit_hash TEXT); ";

/// What the work throws, or "nothing".
[[nodiscard]] std::string thrown_message(const std::function<void()>& work);

/// Runs the work in a child process of its own.
class Child {
 public:
  explicit Child(const std::function<void()>& work);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill();
  /// Waits for the end; true if it exited with 0, which it does when the work returns.
  bool succeeds();

 private:
  pid_t id_ = -1;
};

}  // namespace tandem::tests
