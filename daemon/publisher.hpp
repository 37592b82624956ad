#pragma once

#include <filesystem>
#include <string>

#include "daemon/record.hpp"

namespace tandem::daemon {

/// Replaces a file as a whole: written beside it, synced, renamed. Readers see the old or the new one. Throws
/// Error.
void write_by_rename(const std::filesystem::path& file, const std::string& text);

/// The three places of the state directory that people read.
class Publisher {
 public:
  explicit Publisher(std::filesystem::path state_dir);

  /// `reports/<id>/report.json` and `report.md`, before the store knows of them.
  void publish(const Record& record, const std::string& json, const std::string& markdown) const;
  void publish_status(const std::string& json) const;
  /// Removes reports that a crash left without an entry in the store.
  void keep_only(const std::vector<Record>& known) const;

  [[nodiscard]] const std::filesystem::path& state_dir() const { return state_dir_; }

 private:
  std::filesystem::path state_dir_;
};

}  // namespace tandem::daemon
