#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "builders/manifest.hpp"
#include "runners/descriptor.hpp"

namespace tandem::builders {

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
                                     const runners::OwnedDescriptor& held, const std::string& damage);

}  // namespace tandem::builders
