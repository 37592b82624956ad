#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "builders/executable.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {

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
