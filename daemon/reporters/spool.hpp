#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem::daemon::reporters {

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

}  // namespace tandem::daemon::reporters
