#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "builders/cache/budget.hpp"
#include "builders/cache/listing.hpp"

namespace tandem::daemon::report {

/// What `tandem cache list` shows.
struct CacheContents {
  std::filesystem::path exec_dir;
  std::vector<builders::StoredEntry> entries;
  std::vector<builders::StoredDamage> damaged;
};

/// "1.5 GiB"; below 1 KiB in bytes.
[[nodiscard]] std::string readable_size(std::uint64_t bytes);

[[nodiscard]] std::string contents_table(const CacheContents& contents);
[[nodiscard]] std::string contents_json(const CacheContents& contents);

[[nodiscard]] std::string verified_text(const builders::Verified& verified);
[[nodiscard]] std::string verified_json(const builders::Verified& verified);

[[nodiscard]] std::string pruned_text(const builders::Pruned& pruned, builders::Pruning pruning);
[[nodiscard]] std::string pruned_json(const builders::Pruned& pruned, builders::Pruning pruning);

}  // namespace tandem::daemon::report
