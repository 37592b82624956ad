#pragma once

#include <array>
#include <filesystem>

#include "runners/pair_plan.hpp"

namespace tandem::runners {

/// Fresh copies of both executables for one launch: other inodes, other pages in memory, paths of one length.
///
/// Removed at the end of the scope. Throws `Error` when the copies cannot be written.
class ProgramCopies {
 public:
  ProgramCopies(const std::filesystem::path& scratch, const std::filesystem::path& control,
                const std::filesystem::path& treatment, const LaunchPlan& plan);
  ~ProgramCopies();
  ProgramCopies(const ProgramCopies&) = delete;
  ProgramCopies& operator=(const ProgramCopies&) = delete;

  [[nodiscard]] const std::filesystem::path& in_slot(std::size_t slot) const { return paths_.at(slot); }

 private:
  std::filesystem::path directory_;
  std::array<std::filesystem::path, 2> paths_;
};

}  // namespace tandem::runners
