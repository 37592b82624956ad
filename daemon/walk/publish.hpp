#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/records/record.hpp"
#include "daemon/store/store.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::daemon {

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

/// The same change, which also writes the report's files. They are written within the transaction, so that
/// files and store change in one order whoever else changes the record; if the transaction fails, the next
/// start sets the files right. `publisher` outlives it.
[[nodiscard]] store::RecordChange published(const Publisher& publisher, store::RecordChange change);

/// Writes the files of these records.
void publish(const Publisher& publisher, const std::vector<Record>& records);

}  // namespace tandem::daemon
