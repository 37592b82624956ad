#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// Makes a directory and those above it. Throws HostError.
void make_directories(const std::filesystem::path& directory);

/// Replaces a file as a whole: written beside it as `<file>.<pid>.new`, synced, renamed. Readers see the old
/// file or the new one. Throws HostError.
void write_by_rename(const std::filesystem::path& file, const std::string& text);

/// The process number of a name of the form `<file>.<pid>.new`; nothing if the name has another form.
[[nodiscard]] std::optional<int> writer_of(const std::string& name, const std::string& file);

/// Removes what a killed process left half-written of these files of the folder: `<file>.<pid>.new`, unless a
/// process of that number lives.
void remove_half_written(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// The text of a regular file of at most so many bytes; nothing if it is none or cannot be read.
[[nodiscard]] std::optional<std::string> read_small_file(const std::filesystem::path& file,
                                                         std::uintmax_t most_bytes);

}  // namespace tandem
