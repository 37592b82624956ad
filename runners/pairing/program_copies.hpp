#pragma once

#include <array>
#include <filesystem>

#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/plan.hpp"

namespace tandem::runners {

/// Where a run of a slot writes: `spare` is for runs that only keep the other side company.
enum class Scratch { own, spare };

/// Fresh copies of both executables for one launch: other inodes, other pages in memory, paths of one length.
/// With a folder, everything in it is copied; only large files that are no programs are links to the
/// originals.
///
/// Removed at the end of the scope. Throws `Error` when the copies cannot be written.
class ProgramCopies {
 public:
  ProgramCopies(const std::filesystem::path& scratch, const ProgramPair& pair, const LaunchPlan& plan);
  ~ProgramCopies();
  ProgramCopies(const ProgramCopies&) = delete;
  ProgramCopies& operator=(const ProgramCopies&) = delete;

  [[nodiscard]] const std::filesystem::path& in_slot(std::size_t slot) const { return paths_.at(slot); }

  /// The directory that holds everything of a slot's executable.
  [[nodiscard]] const std::filesystem::path& folder_of_slot(std::size_t slot) const {
    return folders_.at(slot);
  }

  /// A directory of this launch in which the program of a slot may write, by number; made when it is first
  /// asked for.
  [[nodiscard]] std::filesystem::path scratch_in_slot(std::size_t slot, std::size_t number,
                                                      Scratch scratch = Scratch::own) const;

  /// Puts what is in a slot's own directories into those of its runs that do not count.
  void copy_scratch(std::size_t slot) const;

 private:
  std::filesystem::path directory_;
  std::array<std::filesystem::path, 2> paths_;
  std::array<std::filesystem::path, 2> folders_;
};

/// Removes the copies that killed processes left in `scratch`. Those of running processes stay. Returns how
/// many there were.
std::size_t clear_leftover_copies(const std::filesystem::path& scratch);

}  // namespace tandem::runners
