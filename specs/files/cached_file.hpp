#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/file_lock.hpp"

namespace tandem::specs {

/// Of one file, in lower-case hexadecimal; empty: not given, not asked for.
struct Digests {
  std::string md5;
  std::string sha256;

  [[nodiscard]] bool none() const { return md5.empty() && sha256.empty(); }
  friend bool operator==(const Digests&, const Digests&) = default;
};

/// Those of the file that `like` has, read once and in pieces; nothing if stopped before the end. Throws
/// Error if the file cannot be read.
[[nodiscard]] std::optional<Digests> digests_of_file(const std::filesystem::path& file, const Digests& like,
                                                     const std::stop_token& stop);

/// Whether `text` is as long as such a digest and in lower-case hexadecimal.
[[nodiscard]] bool is_md5(std::string_view text);
[[nodiscard]] bool is_sha256(std::string_view text);

/// What changes when somebody writes to a file or replaces it.
struct FileStamp {
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  ///< nanoseconds, like `changed`
  std::int64_t changed = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Nothing unless it is a regular file.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

/// What is known of a cached file, kept beside it in FILE.checked, so that a large one is not hashed on each
/// use.
struct FileRecord {
  FileStamp stamp;
  Digests digests;     ///< those that were computed while it had this stamp
  std::string source;  ///< SHA-256 of the URL it came from; empty: it did not come by download

  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// Nothing if there is none that can be read.
[[nodiscard]] std::optional<FileRecord> read_record(const std::filesystem::path& file);

/// By rename. What cannot be written costs another look at the file and nothing else.
void write_record(const std::filesystem::path& file, const FileRecord& record);

/// Alone among all threads and processes with one cached file, by a lock on FILE.lock; waits for the others,
/// nothing if stopped meanwhile. Throws Error if it cannot be locked.
[[nodiscard]] std::optional<FileLock> lock_cached(const std::filesystem::path& file,
                                                  const std::stop_token& stop);

/// Brings `part` to disk and puts it at `file`. Throws Error if the disk fails.
void put_in_place(const std::filesystem::path& part, const std::filesystem::path& file);

/// The beginning of a file that is downloaded, on disk, and beside it in PART.from whose beginning it is, so
/// that a later process goes on with it. Everything throws Error if the disk fails.
class PartialFile {
 public:
  /// What is there already is kept if it began at the same URL and the server named the version.
  PartialFile(std::filesystem::path part, const std::string& url);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::optional<std::uint64_t> total() const { return total_; }
  [[nodiscard]] bool whole() const { return total_ == size_; }

  /// The version as If-Range names it; empty: it cannot be continued.
  [[nodiscard]] const std::string& validator() const { return validator_; }

  /// Whether some of it came from an earlier answer.
  [[nodiscard]] bool continued() const { return continued_; }

  /// Throws away what is there; `append` follows from the first byte.
  void begin(const std::string& validator, std::optional<std::uint64_t> total);
  void forget() { begin("", std::nullopt); }

  /// `append` follows where it ends.
  void go_on() { continued_ = true; }
  void append(std::string_view bytes);

  /// Bytes that its disk has left.
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  [[noreturn]] void fail(const std::string& doing) const;
  void read_origin();

  std::filesystem::path part_;
  std::filesystem::path origin_;
  std::string source_;
  OwnedDescriptor file_;
  std::uint64_t size_ = 0;
  std::optional<std::uint64_t> total_;
  std::string validator_;
  bool continued_ = false;
};

/// Removes a partial file with its origin, if it is there.
void remove_partial(const std::filesystem::path& part);

}  // namespace tandem::specs
