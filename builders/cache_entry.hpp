#pragma once

#include <filesystem>
#include <string>

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

}  // namespace tandem::builders
