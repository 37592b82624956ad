#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {

// How the executable cache writes, moves and measures its directories. All but `touch` and `size_on_disk`
// throw std::system_error, which keeps what the disk said.

/// The text, on the disk when this returns.
void write_durably(const std::filesystem::path& file, const std::string& text);

/// Copies a tree, on the disk when this returns. Files lose their write bits; directories keep theirs, so
/// that an entry can be moved and removed.
void copy_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Copies a tree so that its files can be written over. A StopScope ends both kinds of copy.
void copy_for_now(const std::filesystem::path& from, const std::filesystem::path& to);

/// What a directory lists is on the disk when this returns.
void synchronise(const std::filesystem::path& path);

/// A directory of one process below `<exec_dir>/incoming`, on the way in or out of the cache: locked while
/// this lives and removed with what is still in it.
class StagingDirectory {
 public:
  explicit StagingDirectory(const std::filesystem::path& exec_dir);
  ~StagingDirectory();
  StagingDirectory(const StagingDirectory&) = delete;
  StagingDirectory& operator=(const StagingDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  OwnedDescriptor lock_;
};

/// Removes the staging_folder of processes that are gone.
void clean_staging(const std::filesystem::path& exec_dir);

/// Held by whoever takes something away from the cache, so that nobody takes what has just been put in its
/// place. Waits for the other.
[[nodiscard]] OwnedDescriptor lock_removals(const std::filesystem::path& exec_dir);

/// A directory held against removal (`in_use`) or for it (`removal`). -1 if it is gone, or if it is wanted
/// for removal and somebody uses it.
enum class Hold { in_use, removal };
[[nodiscard]] OwnedDescriptor hold(const std::filesystem::path& directory, Hold how);
/// Whether the path still leads to the held directory.
[[nodiscard]] bool still_there(const OwnedDescriptor& held, const std::filesystem::path& directory);

/// Seconds and nanoseconds since 1970, in nanoseconds: when `touch` was last called for an entry or layout,
/// else when its manifest was written; 0 if neither can be said.
[[nodiscard]] std::int64_t last_used(const std::filesystem::path& directory);
/// Notes a use. A cache that may only be read notes nothing.
void touch(const std::filesystem::path& directory);

/// Blocks that a tree takes, in bytes. What cannot be read counts nothing.
[[nodiscard]] std::uint64_t size_on_disk(const std::filesystem::path& tree);

}  // namespace tandem::builders
