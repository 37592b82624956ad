#pragma once

#include <filesystem>
#include <string>

// What every reporter that writes files needs. All of it throws Error.
namespace tandem::daemon::reporters {

void make_directories(const std::filesystem::path& directory);

/// A new file, synced.
void write_file(const std::filesystem::path& file, const std::string& text);

/// Replaces a file as a whole: written beside it under a hidden name, synced, renamed, the directory synced.
void replace_file(const std::filesystem::path& file, const std::string& text);

/// Makes what was renamed within a directory survive a power cut.
void sync_directory(const std::filesystem::path& directory);

/// Adds whole lines to a file that several processes write to: one at a time, by one write. An empty file is
/// given `heading` first; one that begins with another line than `heading` is refused. A line that a crash
/// cut off is ended, and after a full disk the file is as long as before.
void append_lines(const std::filesystem::path& file, const std::string& lines, const std::string& heading);

/// A hidden name that no other process or thread uses.
[[nodiscard]] std::string temporary_name();

}  // namespace tandem::daemon::reporters
