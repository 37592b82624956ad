#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "builders/executable.hpp"

namespace tandem::builders {

/// Keeps what the final links of one build read, so that its programs can be linked again in another order.
///
/// The compilers find a wrapper first on their linker's path (COMPILER_PATH, which gcc and clang both
/// honour). The wrapper links with lld and lets it write its inputs beside; where lld cannot do a link, the
/// linker that was asked for does it and nothing is kept.
class LinkCapture {
 public:
  /// `directory` is made and filled by the build; `inside` is its path as the build sees it.
  LinkCapture(std::filesystem::path wrapper, std::filesystem::path lld, std::filesystem::path directory,
              std::filesystem::path inside);

  /// "NAME=value" for the build.
  [[nodiscard]] std::vector<std::string> environment() const;

  struct Kept {
    std::filesystem::path links;  ///< a directory to be stored with the executable; empty: nothing to store
    std::string unresolved;       ///< why the programs cannot be relinked, a sentence; empty if they can
  };
  /// After the build: keeps the captured links of those programs and shared libraries in `out` that were
  /// linked from this source, and removes the rest. Throws std::system_error if the disk fails.
  [[nodiscard]] Kept collect(const std::filesystem::path& out) const;

 private:
  std::filesystem::path wrapper_;
  std::filesystem::path lld_;
  std::filesystem::path directory_;
  std::filesystem::path inside_;
};

}  // namespace tandem::builders
