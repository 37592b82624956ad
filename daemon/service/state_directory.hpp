#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/records/state_files.hpp"
#include "daemon/report/status_report.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::daemon {

/// The version of the layout of a state directory that this program makes and knows.
inline constexpr int state_version = 1;

/// Makes the directory if it is not there and marks it by the file `tandem.state`, unless it is marked.
///
/// One without a marker is taken over if it is empty, if its `tandem.db` is a store of ours, if its
/// `status.json` is ours, or if it holds nothing but what `tandem run` of earlier versions left. Every other
/// one, and one of a newer version, throws InputError, and nothing in it is touched.
report::StateMarker claim_state_directory(const std::filesystem::path& directory);

/// The same refusals for a directory that may be missing; writes nothing.
void check_state_directory(const std::filesystem::path& directory);

/// A folder of this process's own in `<state_dir>/scratch`, removed with everything in it at the end.
///
/// Whoever makes one holds the lock of the state directory. Folders that killed daemons of the same state
/// directory left are removed first; each is known by its name and by a file in it that names its owner.
/// Everything else in there stays.
class ScratchDirectory {
 public:
  ScratchDirectory(const std::filesystem::path& state_dir, const std::string& state_id);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// What lies beside it and is not of this program: it was kept.
  [[nodiscard]] const std::vector<std::filesystem::path>& foreign() const { return foreign_; }

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> foreign_;
};

/// Whether the daemon that wrote the status in this directory still runs, by its lock and, where that may not
/// be opened, by its process. Writes nothing.
[[nodiscard]] report::DaemonLife daemon_life(const std::filesystem::path& state_dir,
                                             const report::StatusProcess& process);

}  // namespace tandem::daemon
