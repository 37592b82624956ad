#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runners/pair_runner.hpp"
#include "runners/process.hpp"
#include "runners/program_copies.hpp"

namespace tandem::runners {

/// What both kinds of launch have in common: the command line of one slot, with its padding and its seed, and
/// its sandbox if there is one. Inside, both copies have paths of one length again.
[[nodiscard]] Command command_in_slot(const HostSettings& settings, const ProgramPair& pair,
                                      const LaunchPlan& plan, std::size_t slot,
                                      const std::vector<std::string>& arguments, const ProgramCopies& copies);

/// For a command that is measured: nobody looks at its limits meanwhile. The file size stays bounded.
void leave_undisturbed(Command& command);

/// Whole processes in turn, slot 0 first; their observer lines or their wall time are the samples.
[[nodiscard]] LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair,
                                            const Subject& subject, const LaunchPlan& plan,
                                            std::stop_token stop);

/// Both programs alive side by side on the measured processors, slices in turn: the `alternate` pairing.
[[nodiscard]] LaunchResult launch_slices(const HostSettings& settings, const ProgramPair& pair,
                                         const Subject& subject, const LaunchPlan& plan,
                                         std::stop_token stop);

}  // namespace tandem::runners
