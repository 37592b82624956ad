#include "daemon/store/schema.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace tandem::daemon::store {

// `position` grows with every write and is never used twice: it is the order in which things happened,
// whatever the clock said. Replacing a row gives it a new one, except for records, which stay where they were
// first written.
const std::array<const char*, 5> schema_steps = {R"sql(
CREATE TABLE scope (
  id       INTEGER PRIMARY KEY,
  watch    TEXT NOT NULL,
  platform TEXT NOT NULL,
  start    TEXT,
  UNIQUE (watch, platform)
);
CREATE TABLE done (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  commit_hash TEXT NOT NULL,
  at          INTEGER NOT NULL,
  UNIQUE (scope, commit_hash)
);
CREATE TABLE build (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  commit_hash TEXT NOT NULL,
  succeeded   INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  sentence    TEXT NOT NULL,
  log         TEXT NOT NULL,
  at          INTEGER NOT NULL,
  UNIQUE (scope, commit_hash)
);
CREATE TABLE verdict (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  commit_hash TEXT NOT NULL,
  control     TEXT NOT NULL,
  benchmark   TEXT NOT NULL,
  metric      TEXT NOT NULL,
  unit        TEXT NOT NULL,
  direction   INTEGER NOT NULL,  -- 0 lower is better, 1 higher is better
  outcome     TEXT NOT NULL,
  note        TEXT NOT NULL,
  verdict     TEXT NOT NULL,     -- JSON, as in a report
  history     TEXT NOT NULL,     -- lines
  seed        INTEGER NOT NULL,  -- the bits of an unsigned number
  at          INTEGER NOT NULL,
  UNIQUE (scope, commit_hash, benchmark, metric)
);
CREATE INDEX verdict_by_outcome ON verdict (scope, benchmark, metric, outcome, position);
CREATE TABLE level (
  scope       INTEGER NOT NULL REFERENCES scope,
  benchmark   TEXT NOT NULL,
  metric      TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  PRIMARY KEY (scope, benchmark, metric)
);
CREATE TABLE record (
  position  INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  scope     INTEGER NOT NULL REFERENCES scope,
  benchmark TEXT NOT NULL,
  kind      TEXT NOT NULL,
  state     TEXT NOT NULL,
  report    TEXT NOT NULL  -- report.json
);
CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  watch    TEXT NOT NULL,
  kind     TEXT NOT NULL,
  sentence TEXT NOT NULL,
  at       INTEGER NOT NULL
);
)sql",
                                                 R"sql(
ALTER TABLE build ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE build ADD COLUMN last_lines TEXT NOT NULL DEFAULT '';
CREATE INDEX build_by_identity ON build (scope, identity, position);
)sql",
                                                 R"sql(
CREATE TABLE calibration (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  benchmark   TEXT NOT NULL,
  host        TEXT NOT NULL,
  at          INTEGER NOT NULL,
  calibration TEXT NOT NULL,  -- JSON
  UNIQUE (scope, benchmark)
);
)sql",
                                                 R"sql(
DROP TABLE level;  -- follows from the records
ALTER TABLE verdict ADD COLUMN definition TEXT NOT NULL DEFAULT '';
CREATE TABLE request (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT NOT NULL,
  watch       TEXT NOT NULL,
  platform    TEXT NOT NULL,  -- empty: all
  commit_hash TEXT NOT NULL,  -- as a person writes it, and so is the next
  against     TEXT NOT NULL,
  benchmark   TEXT NOT NULL,
  record      TEXT NOT NULL,
  wished_by   TEXT NOT NULL,
  at          INTEGER NOT NULL,
  state       TEXT NOT NULL,
  progress    TEXT NOT NULL,
  answer      TEXT NOT NULL,
  code        INTEGER NOT NULL DEFAULT 0,  -- the exit code that the answer stands for
  attempts    INTEGER NOT NULL DEFAULT 0   -- that ended with the daemon
);
CREATE INDEX request_by_state ON request (state, id);
CREATE TABLE point (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  benchmark   TEXT NOT NULL,
  metric      TEXT NOT NULL,
  span        TEXT NOT NULL,
  anchor      TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  value       REAL NOT NULL,
  deviation   REAL NOT NULL,
  environment TEXT NOT NULL,
  at          INTEGER NOT NULL,
  UNIQUE (scope, benchmark, metric, span, anchor, commit_hash, environment)
);
CREATE TABLE null_screen (
  position  INTEGER PRIMARY KEY AUTOINCREMENT,
  scope     INTEGER NOT NULL REFERENCES scope,
  benchmark TEXT NOT NULL,
  outcome   TEXT NOT NULL,
  evidence  REAL NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX verdict_by_time ON verdict (at, outcome);
CREATE INDEX null_screen_by_time ON null_screen (at, outcome);
CREATE TABLE environment (
  name  TEXT PRIMARY KEY,
  facts TEXT NOT NULL
);
)sql",
                                                 R"sql(
CREATE TABLE identity (
  id TEXT NOT NULL  -- one row: drawn when the store was made, to tell it from one that took its place
);
INSERT INTO identity SELECT lower(hex(randomblob(16)));
CREATE TABLE future_commit (
  commit_hash TEXT PRIMARY KEY,
  seen_at     INTEGER NOT NULL  -- when it was first seen, with a date after that
) WITHOUT ROWID;
-- Until now the name alone told what the daemon had put off: confirmations, and searches for what ended a record.
ALTER TABLE request ADD COLUMN origin TEXT NOT NULL DEFAULT 'person';
UPDATE request SET origin = 'tandem'
  WHERE wished_by = 'tandem' AND (kind = 'confirm' OR (kind = 'bisect' AND record <> ''));
CREATE TABLE waiting_commit (
  position    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope       INTEGER NOT NULL REFERENCES scope,
  commit_hash TEXT NOT NULL,
  kind        TEXT NOT NULL,
  sentence    TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  due         INTEGER NOT NULL,
  UNIQUE (scope, commit_hash)
);
)sql"};

namespace {

// https://www.sqlite.org/fileformat2.html
constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::size_t application_id_at = 68;
constexpr std::size_t header_bytes = 100;
constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::size_t log_page_size_at = 8;
/// The mark is written with the first pages of a store.
constexpr int most_frames = 10'000;

using Header = std::array<char, header_bytes>;

std::uint32_t number_at(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = (number << 8U) | static_cast<unsigned char>(bytes[i]);
  return number;
}

bool is_ours(const Header& page) {
  return std::string_view(page.data(), magic.size()) == magic &&
         number_at(page.data() + application_id_at) == static_cast<std::uint32_t>(application_id);
}

}  // namespace

bool is_store_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  Header page{};
  if (!in.read(page.data(), page.size()) || std::string_view(page.data(), magic.size()) != magic)
    return false;
  if (is_ours(page)) return true;
  // A store that was killed young has its first page in the log only.
  std::ifstream log(file.string() + "-wal", std::ios::binary);
  std::array<char, log_header_bytes> log_header{};
  if (!log.read(log_header.data(), log_header.size())) return false;
  const std::uint32_t page_size = number_at(log_header.data() + log_page_size_at);
  if (page_size < 512 || page_size > 65536) return false;
  for (int frame = 0; frame < most_frames; ++frame) {
    std::array<char, frame_header_bytes> frame_header{};
    if (!log.read(frame_header.data(), frame_header.size()) || !log.read(page.data(), page.size())) break;
    if (number_at(frame_header.data()) == 1 && is_ours(page)) return true;
    log.seekg(static_cast<std::streamoff>(page_size - header_bytes), std::ios::cur);
  }
  return false;
}

}  // namespace tandem::daemon::store
