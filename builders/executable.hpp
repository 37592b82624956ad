#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tandem::builders {

/// One file of an executable. A symbolic link has the hash and length of its target's text.
struct ManifestFile {
  enum class Kind { data, program, link };  ///< program: a file that may be executed
  std::string path;                         ///< relative, with '/'
  Kind kind = Kind::data;
  std::uint64_t size = 0;
  std::string sha256;

  bool operator==(const ManifestFile&) const = default;
};

/// All programs built from one commit for one platform. The files are read-only and stay until the cache
/// drops them.
struct Executable {
  std::string commit;
  std::string platform;
  std::filesystem::path directory;                                ///< holds every file of the manifest
  std::filesystem::path program;                                  ///< what the build script was told to leave
  std::map<std::string, std::filesystem::path> further_programs;  ///< the files beside it, by name
  std::string key;                                                ///< what it was built from, 64 hex digits
  std::vector<ManifestFile> manifest;                             ///< sorted by path
  std::filesystem::path links;    ///< what its programs were linked from; empty: it cannot be relinked
  std::string layout_unresolved;  ///< why it cannot be relinked, a sentence; empty if it can
  std::string layout;             ///< the seed of its layout, 16 hex digits; empty: as it was built
  std::string fingerprint;        ///< see identity.hpp; empty: not computed yet
  bool from_cache = false;
  bool added_by_hand = false;        ///< brought by `tandem cache add`, not built here
  std::shared_ptr<const void> held;  ///< as long as a copy of it lives, the cache does not drop the files
  std::string repaired;              ///< a sentence, if a damaged cache entry had to be replaced
};

}  // namespace tandem::builders
