#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::daemon::harness {

// What every reporter that writes files needs. All of it throws Error.
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

/// One component of a path for any text: never empty, hidden, "..", or with a slash in it.
///
/// Text of letters, digits, "_", "-", "+" and "." is its own name. Anything else is spelled as FAI-PEP spells
/// it (spaces, slashes and colons become "-", the rest vanishes), followed by "~" and a digest of the text,
/// so that two texts never share a name.
[[nodiscard]] std::string safe_name(std::string_view text);

/// The same for a key of results, "NET-latency" as FAI-PEP writes "NET latency". Never "meta".
[[nodiscard]] std::string safe_key_name(std::string_view type, std::string_view metric);

/// A directory of texts that wait to be sent, one file each: TIME-ID.json. A text is in it completely or not
/// at all, through crashes and power cuts. Any number of processes may add. Throws Error.
class Spool {
 public:
  /// Makes nothing yet. At most `limit` texts wait.
  Spool(std::filesystem::path directory, std::size_t limit);

  /// The same time and id replace each other. When the spool is full the newest is refused: the others were
  /// promised first.
  void add(std::chrono::system_clock::time_point time, const std::string& id, const std::string& text) const;

  /// Oldest first.
  [[nodiscard]] std::vector<std::filesystem::path> waiting() const;

  /// Nothing if it cannot be read.
  [[nodiscard]] static std::optional<std::string> read(const std::filesystem::path& file);
  void remove(const std::filesystem::path& file) const;

  /// Out of the way of the others, under its name and `reason` (".bad"); renamed back, it is sent again. Of
  /// those put aside the newest 1000 are kept.
  void put_aside(const std::filesystem::path& file, const std::string& reason) const;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::size_t limit_;
};

}  // namespace tandem::daemon::harness
