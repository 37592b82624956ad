#pragma once

#include <filesystem>
#include <string>

#include "support/paths.hpp"

namespace tandem::tests {

/// The executable of a program in tests/programs.
inline std::filesystem::path program(const std::string& name) {
  return std::filesystem::path(paths::programs) / name;
}

/// How many entries a directory has; of /proc/self/fd, the open descriptors.
inline std::size_t entries(const std::filesystem::path& directory) {
  const std::filesystem::directory_iterator all(directory);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace tandem::tests
