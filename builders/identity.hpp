#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "builders/executable.hpp"

namespace tandem::builders {

/// True if nothing that can be run differs: the same files, each with the same content or, for programs and
/// shared libraries in ELF format, with the same loadable content. Debug information and the build id do not
/// count.
[[nodiscard]] bool identical(const Executable& one, const Executable& other);

/// The same for two single files. Throws std::system_error if one cannot be read.
[[nodiscard]] bool identical_files(const std::filesystem::path& one, const std::filesystem::path& other);

/// SHA-256 of what a loader maps from an ELF file, apart from the build id and the place of the section
/// table. Nothing if the file is not a sound ELF file with loadable segments.
[[nodiscard]] std::optional<std::string> loadable_hash(const std::filesystem::path& file);

}  // namespace tandem::builders
