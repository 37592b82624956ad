#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/record.hpp"

namespace tandem::daemon {

/// Replaces a file as a whole: written beside it, synced, renamed. Readers see the old or the new one. Throws
/// Error.
void write_by_rename(const std::filesystem::path& file, const std::string& text);

/// The three places of the state directory that people read.
class Publisher {
 public:
  /// `store_id` is of the store that records are saved in. Empty: only known records are published.
  explicit Publisher(std::filesystem::path state_dir, std::string store_id = {});

  /// `reports/<id>/report.json` and `report.md`, before the store knows of them. A new folder says so in the
  /// file `unsaved`, until `saved` is told.
  void publish(const Record& record, const std::string& json, const std::string& markdown) const;
  void publish_status(const std::string& json) const;
  /// The store knows these records now.
  void saved(const std::vector<Record>& records) const;
  /// The id of the store that did not know the report when its files were written; empty: it did, or it is
  /// not of ours.
  [[nodiscard]] std::string unsaved_by(const std::string& id) const;
  /// Removes what `publish` wrote of a report, and the folder if it holds nothing else.
  void withdraw(const std::string& id) const;

  [[nodiscard]] const std::filesystem::path& state_dir() const { return state_dir_; }

 private:
  std::filesystem::path state_dir_;
  std::string store_id_;
};

}  // namespace tandem::daemon
