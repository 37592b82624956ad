#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/program_copies.hpp"
#include "runners/process/process.hpp"

namespace tandem::runners {

/// The ground of one launch of any kind.
struct LaunchGround {
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
[[nodiscard]] Command command_in_slot(const LaunchGround& ground, std::size_t slot,
                                      const std::vector<std::string>& arguments,
                                      Scratch scratch = Scratch::own);

/// Where the file lies that the programs in this slot call `name`, which may hold placeholders: in a sandbox,
/// behind one of its mounts.
[[nodiscard]] std::filesystem::path path_on_host(const LaunchGround& ground, std::size_t slot,
                                                 const std::string& name);

/// Whether a file truly lies in a directory that is there for programs to write in: a link on the way could
/// lead to files that they must not see themselves.
[[nodiscard]] bool is_theirs(const LaunchGround& ground, std::size_t slot, const std::filesystem::path& file);

/// For a command that is measured: its limits are looked at once a second, from another processor where there
/// is one. A look takes some 50 us.
void leave_undisturbed(Command& command);

/// "NAME=value", in place of what the environment says of that name.
void set_variable(std::vector<std::string>& environment, std::string entry);

/// On the PATH of this environment.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name,
                                                                const std::vector<std::string>& environment);

/// Whole processes in turn, slot 0 first; their observer lines or their wall time are the samples.
[[nodiscard]] LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair,
                                            const Subject& subject, const LaunchPlan& plan,
                                            std::stop_token stop);

/// Both programs alive side by side on the measured processors, slices in turn: the `alternate` pairing.
[[nodiscard]] LaunchResult launch_slices(const HostSettings& settings, const ProgramPair& pair,
                                         const Subject& subject, const LaunchPlan& plan,
                                         std::stop_token stop);

}  // namespace tandem::runners
