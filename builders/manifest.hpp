#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "builders/executable.hpp"

namespace tandem::builders {

/// What `manifest.json` of a cache entry says.
struct Manifest {
  std::string key;
  std::string commit;
  std::string framework;
  std::string platform;
  std::string program;  ///< path of the main program
  std::vector<ManifestFile> files;
};

/// Every file below the directory, sorted by path. The second form is a sentence: something there cannot be
/// kept, such as a link that leads out of the directory. Throws std::system_error if a file cannot be read.
[[nodiscard]] std::variant<std::vector<ManifestFile>, std::string> take_inventory(
    const std::filesystem::path& directory);

[[nodiscard]] std::string to_json(const Manifest& manifest);

/// Throws Error that says what is wrong with the text.
[[nodiscard]] Manifest manifest_from_json(const std::string& text);

}  // namespace tandem::builders
