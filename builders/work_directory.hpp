#pragma once

#include <filesystem>
#include <stop_token>

#include "runners/process/process.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {

/// A directory for one build, `work/00` of the state directory or the next free number: nearly always the
/// same path, and always one of the same length, because builds write it into their programs. It is empty at
/// the beginning and removed at the end. Held by a lock that goes with the process, whose file stays and says
/// that the directory is ours; one without it is passed over. Throws Error if all are taken.
class WorkSlot {
 public:
  explicit WorkSlot(const std::filesystem::path& state_dir);
  ~WorkSlot();
  WorkSlot(const WorkSlot&) = delete;
  WorkSlot& operator=(const WorkSlot&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  OwnedDescriptor lock_;
};

/// Ends the builds that a killed process left running and removes their work directories.
void clean_work(const std::filesystem::path& state_dir);

/// Removes a tree even if the directories in it are read-only. Never throws; what cannot be removed stays.
void remove_tree(const std::filesystem::path& path) noexcept;

/// Runs a command of the work in this directory to its end. As long as it runs, `<directory>.started` says
/// which process it is, for whoever cleans up after us. Throws std::system_error if that cannot be written.
[[nodiscard]] runners::Finished run_noted(const std::filesystem::path& directory,
                                          const runners::Command& command, const runners::Limits& limits,
                                          const std::stop_token& stop);

/// Kills what a killed process left running in this directory: the noted process, if it is still the same
/// one, and every member of the session that it led. The command dies with the process that started it; what
/// it started itself does not. The caller holds the directory's lock, so that nobody who lives is meant.
/// Returns when they are gone, at most after a few seconds.
void end_processes_in(const std::filesystem::path& directory);

}  // namespace tandem::builders
