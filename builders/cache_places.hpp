#pragma once

#include <filesystem>
#include <string>

#include "builders/cache_entry.hpp"
#include "builders/executable.hpp"

namespace tandem::builders {

// Where the executable cache keeps what, below `exec_dir`. An entry and a layout have the same inside.

inline constexpr const char* manifest_name = "manifest.json";
inline constexpr const char* programs_name = "programs";
inline constexpr const char* links_name = "links";
inline constexpr const char* layouts_name = "layouts";
inline constexpr const char* damaged_name = "damaged";
inline constexpr std::size_t key_prefix = 16;

[[nodiscard]] inline std::filesystem::path place_of(const std::filesystem::path& exec_dir,
                                                    const CacheEntry& entry) {
  return exec_dir / entry.framework / entry.platform / entry.commit / entry.key.substr(0, key_prefix);
}

/// The entry that an executable or one of its layouts belongs to.
[[nodiscard]] inline std::filesystem::path entry_of(const Executable& executable) {
  const std::filesystem::path place = executable.directory.parent_path();
  return executable.layout.empty() ? place : place.parent_path().parent_path();
}

}  // namespace tandem::builders
