#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "builders/executable.hpp"

namespace tandem::builders {

/// Where an executable belongs.
struct CacheEntry {
  std::string framework;
  std::string platform;
  std::string commit;
  std::string key;  ///< what it is built from, 64 hex digits
};

/// What the programs of an executable were linked from, to be kept with them.
struct Links {
  std::filesystem::path directory;  ///< empty: none
  std::string unresolved;           ///< why the programs cannot be relinked, a sentence; empty if they can
};

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

/// Everything that may change the bytes of an executable. Two builds with one key are interchangeable.
struct CacheKeyParts {
  std::string commit;
  std::map<std::string, std::string> submodules;  ///< ids by path
  std::string platform;
  std::string framework_hash;  ///< of the whole framework folder
  std::string sdk_hash;
  std::string toolchain;  ///< see toolchain.hpp
  std::string cxxflags;
  std::string ldflags;
  std::uint64_t seed = 0;
  std::vector<std::string> variables;  ///< of the `build` section
  std::string sources_hash;            ///< of the user's files that it names
  std::string linker;                  ///< the wrapper that captures links, and what it links with
  std::string ground;                  ///< with or without sandbox and `.git`: scripts see other paths
};

/// 64 hexadecimal digits.
[[nodiscard]] std::string cache_key(const CacheKeyParts& parts);

}  // namespace tandem::builders
