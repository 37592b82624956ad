#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "builders/executable.hpp"
#include "specs/foundation/descriptor.hpp"

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
  std::string isolation;               ///< with or without sandbox and `.git`: scripts see other paths
};

/// 64 hexadecimal digits.
[[nodiscard]] std::string cache_key(const CacheKeyParts& parts);

/// What `manifest.json` of a cache entry, or of one layout in it, says.
struct Manifest {
  std::string key;
  std::string commit;
  std::string framework;
  std::string platform;
  std::string program;  ///< path of the main program, one of the files
  std::vector<ManifestFile> files;
  std::vector<ManifestFile> links;  ///< what the programs were linked from
  std::string layout_unresolved;    ///< why there is nothing to relink, a sentence
  std::string layout;               ///< seed of a layout, 16 hex digits
  std::string fingerprint;          ///< of what is run; empty: not computed
  std::int64_t built = 0;           ///< seconds since 1970; 0: not known
  bool added_by_hand = false;
};

enum class Hashing { yes, no };

/// Every file below the directory, sorted by path; without hashing, only what can be seen without reading
/// them. The second form is a sentence: something there cannot be kept, such as a link that leads out of the
/// directory. Throws std::system_error if a file cannot be read.
[[nodiscard]] std::variant<std::vector<ManifestFile>, std::string> take_inventory(
    const std::filesystem::path& directory, Hashing hashing = Hashing::yes);

[[nodiscard]] std::string to_json(const Manifest& manifest);

/// Throws Error that says what is wrong with the text. Paths in a manifest never lead out of its directory.
[[nodiscard]] Manifest manifest_from_json(const std::string& text);

/// The manifest of a cache entry or layout. Throws Error that says what is wrong with it.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& place);

/// What an entry or a layout has to be.
struct Expected {
  std::string key;
  std::string commit;
  std::string layout;  ///< seed, 16 hex digits; empty: an entry
};

/// Reads every file. The manifest if all is as it says; otherwise a sentence.
[[nodiscard]] std::variant<Manifest, std::string> examine(const std::filesystem::path& place,
                                                          const Expected& expected);

/// Moves a damaged entry or layout to `<exec_dir>/damaged`, out of the way of the next, one for each; returns
/// the sentence to report. `held` is the directory that was examined: whatever another process has put in its
/// place since stays. Throws std::system_error if it cannot be moved.
[[nodiscard]] std::string move_aside(const std::filesystem::path& exec_dir,
                                     const std::filesystem::path& place, const Expected& expected,
                                     const OwnedDescriptor& held, const std::string& damage);

}  // namespace tandem::builders
