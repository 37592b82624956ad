#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"

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

/// What every command of one launch is made from.
struct LaunchContext {
  const HostSettings& settings;
  const ProgramPair& pair;
  const LaunchPlan& plan;
  const ProgramCopies& copies;

  [[nodiscard]] std::chrono::nanoseconds deadline() const {
    return pair.deadline.value_or(settings.deadline);
  }
};

/// What all kinds of launch have in common: the command line of one slot, with its directories, its padding
/// and its seed, and its sandbox if there is one. Inside, both copies have paths of one length again. A first
/// word without a slash is looked for on the search path.
[[nodiscard]] Command command_in_slot(const LaunchContext& context, std::size_t slot,
                                      const std::vector<std::string>& arguments,
                                      Scratch scratch = Scratch::own);

/// Where the file lies that the programs in this slot call `name`, which may hold placeholders: in a sandbox,
/// behind one of its mounts.
[[nodiscard]] std::filesystem::path path_on_host(const LaunchContext& context, std::size_t slot,
                                                 const std::string& name);

/// Whether a file truly lies in a directory that is there for programs to write in: a link on the way could
/// lead to files that they must not see themselves.
[[nodiscard]] bool is_theirs(const LaunchContext& context, std::size_t slot,
                             const std::filesystem::path& file);

/// For a command that is measured: its limits are looked at once a second, from another processor where there
/// is one. A look takes some 50 us.
void leave_undisturbed(Command& command);

/// "NAME=value", in place of what the environment says of that name.
void set_variable(std::vector<std::string>& environment, std::string entry);

/// On the PATH of this environment.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::string& name,
                                                                const std::vector<std::string>& environment);

}  // namespace tandem::runners
