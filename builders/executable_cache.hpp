#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "builders/executable.hpp"

namespace tandem::builders {

/// Where an executable belongs.
struct CacheEntry {
  std::string framework;
  std::string platform;
  std::string commit;
  std::string key;
};

/// Executables on disk, each in `<exec_dir>/<framework>/<platform>/<commit>/<key prefix>/` with
/// `manifest.json` and `programs/`. An entry appears whole, by rename, or not at all; several processes may
/// share one directory. Trouble with the disk is a std::system_error.
class ExecutableCache {
 public:
  explicit ExecutableCache(const std::filesystem::path& exec_dir);

  struct Lookup {
    std::optional<Executable> executable;
    std::string
        damage;  ///< a sentence, if an entry was there but did not match its manifest; it was moved away
  };

  /// Reads every file of the entry and compares it with the manifest before handing it out.
  [[nodiscard]] Lookup find(const CacheEntry& entry) const;

  /// Copies the files of `directory` into a new entry. If another process was faster, its entry is used. A
  /// sentence if something in the directory cannot be kept.
  [[nodiscard]] std::variant<Executable, std::string> publish(const CacheEntry& entry,
                                                              const std::filesystem::path& directory,
                                                              const std::string& program) const;

  /// Removes what interrupted processes left half-published; what a living process is writing stays.
  void clean() const;

 private:
  std::filesystem::path place_of(const CacheEntry& entry) const;
  std::filesystem::path exec_dir_;
};

}  // namespace tandem::builders
