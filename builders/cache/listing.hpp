#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "builders/cache/manifest.hpp"

namespace tandem::builders {

/// One linking of an entry's programs. Times of use are nanoseconds since 1970.
struct StoredLayout {
  std::string seed;  ///< 16 hex digits
  std::filesystem::path directory;
  std::uint64_t bytes = 0;
  std::int64_t last_used = 0;
};

/// What the executable cache holds, as it says of itself; nothing of it is verified.
struct StoredEntry {
  CacheEntry entry;  ///< its key is the prefix only if the manifest cannot be read
  std::filesystem::path directory;
  std::uint64_t bytes = 0;  ///< on disk, with its layouts
  std::vector<StoredLayout> layouts;
  std::int64_t last_used = 0;
  std::int64_t built = 0;         ///< seconds since 1970; 0: not known
  std::string layout_unresolved;  ///< why it cannot be relinked; empty if it can
  bool added_by_hand = false;
  std::string damage;  ///< a sentence, if its manifest cannot be read
};

/// A damaged entry or layout that was moved away.
struct StoredDamage {
  std::filesystem::path directory;
  std::uint64_t bytes = 0;
  std::int64_t last_used = 0;
};

/// Every entry, by framework, platform, commit and key. A directory that is not there holds none. Entries may
/// come and go meanwhile.
[[nodiscard]] std::vector<StoredEntry> list_entries(const std::filesystem::path& exec_dir);
[[nodiscard]] std::vector<StoredDamage> list_damaged(const std::filesystem::path& exec_dir);

struct Verified {
  std::size_t entries = 0;
  std::size_t layouts = 0;
  std::vector<std::string> damage;  ///< a sentence for each that was damaged, in the order of the list
};
/// Reads every file of every entry and layout; what is damaged is moved away, as when it is looked up.
[[nodiscard]] Verified verify_entries(const std::filesystem::path& exec_dir);

}  // namespace tandem::builders
