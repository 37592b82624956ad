#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "builders/cache/manifest.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {

/// Keeps one executable from being dropped as long as it lives. Goes with the process.
struct InUse {
  OwnedDescriptor entry;
  OwnedDescriptor layout;  ///< none, if it is the executable as it was built
};

/// Executables on disk, each in `<exec_dir>/<framework>/<platform>/<commit>/<key prefix>/` with
/// `manifest.json`, `programs/`, `links/` and `layouts/<seed>/`. An entry or layout appears whole, by rename,
/// or not at all; several processes may share one directory. Trouble with the disk is a std::system_error.
/// What is listed, verified and dropped: listing.hpp, budget.hpp.
class ExecutableCache {
 public:
  explicit ExecutableCache(const std::filesystem::path& exec_dir);

  struct Lookup {
    std::optional<Executable> executable;
    std::string damage;  ///< a sentence, if something was there but did not match its manifest; it was moved
                         ///< away
  };

  /// Reads every file of the entry and compares it with the manifest before handing it out. Where there is no
  /// such entry, one that was added by hand for the commit; with an empty key only that.
  [[nodiscard]] Lookup find(const CacheEntry& entry) const;

  /// Copies the files of `directory` and of `links` into a new entry. If another process was faster, its
  /// entry is used. A sentence if something in the directory cannot be kept.
  [[nodiscard]] std::variant<Executable, std::string> publish(const CacheEntry& entry,
                                                              const std::filesystem::path& directory,
                                                              const std::string& program,
                                                              const Links& links = {}) const;

  /// A pre-built executable, for `find` of this commit whatever the key. The entry's own key is not used.
  [[nodiscard]] std::variant<Executable, std::string> add_by_hand(const CacheEntry& entry,
                                                                  const std::filesystem::path& directory,
                                                                  const std::string& program) const;

  /// The same for another linking of an executable of this cache; its key is the executable's and the seed.
  /// Publishing throws Error if the executable itself has been dropped meanwhile.
  [[nodiscard]] Lookup find_layout(const Executable& executable, std::uint64_t seed) const;
  [[nodiscard]] std::variant<Executable, std::string> publish_layout(
      const Executable& executable, std::uint64_t seed, const std::filesystem::path& directory) const;

  /// To be held while the programs are run. An executable does not hold its layouts, a layout its executable.
  /// Nothing if it has been dropped already: build it again.
  [[nodiscard]] std::optional<InUse> pin(const Executable& executable) const;

  /// Removes what interrupted processes left half-published or half-removed; what a living process works on
  /// stays.
  void clean() const;

 private:
  std::filesystem::path exec_dir_;
};

/// The key of an executable that was added by hand.
[[nodiscard]] std::string key_by_hand(const CacheEntry& entry);

}  // namespace tandem::builders
