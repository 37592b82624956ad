#pragma once

#include <filesystem>

#include "runners/descriptor.hpp"

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
  runners::OwnedDescriptor lock_;
};

/// Ends the builds that a killed process left running and removes their work directories.
void clean_work(const std::filesystem::path& state_dir);

/// Removes a tree even if the directories in it are read-only. Never throws; what cannot be removed stays.
void remove_tree(const std::filesystem::path& path) noexcept;

}  // namespace tandem::builders
