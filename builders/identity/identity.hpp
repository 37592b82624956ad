#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builders/executable.hpp"
#include "builders/identity/elf_image.hpp"

namespace tandem::builders {

/// Where the text within `range` of the bytes names the commit: whole words of hexadecimal digits that are
/// the commit id or a beginning of it with at least 7 digits. In their order. Nothing else is ever found, so
/// that two programs are not called the same for anything but their own names.
[[nodiscard]] std::vector<FileRange> find_commit_ids(std::string_view bytes, FileRange range,
                                                     const std::string& commit);

/// SHA-256 of everything that is run: two executables with equal fingerprints run the same code on this host.
///
/// It covers every file of the manifest with its path and kind, and the system libraries that the programs
/// find. Of programs and shared libraries in ELF format it covers what is loaded and what they may read of
/// themselves; the build id, symbol tables and debug information do not count. Where a file names the
/// executable's own commit, only that it does so at this place counts. The one kept with the executable, if
/// there is one; otherwise it is computed. Throws std::system_error if a file cannot be read.
[[nodiscard]] std::string fingerprint(const Executable& executable);

/// Whether nothing that is run differs.
[[nodiscard]] bool identical(const Executable& one, const Executable& other);

/// The same for two single files, with the libraries they find. Throws std::system_error if one cannot be
/// read.
[[nodiscard]] bool identical_files(const std::filesystem::path& one, const std::filesystem::path& other);

/// SHA-256 of what counts in an ELF file. Nothing if the bytes are not a sound one with loadable segments.
/// Takes any bytes.
[[nodiscard]] std::optional<std::string> loadable_hash(std::string_view bytes,
                                                       const std::string& commit = {});

}  // namespace tandem::builders
