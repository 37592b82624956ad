#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runners/pair_runner.hpp"
#include "runners/process.hpp"

namespace tandem::runners {

/// What both kinds of launch have in common: the command line of one slot, with its padding and its seed.
[[nodiscard]] Command command_in_slot(const HostSettings& settings, const ProgramPair& pair, Side side,
                                      const std::vector<std::string>& arguments,
                                      const std::filesystem::path& executable, std::size_t padding_bytes,
                                      std::uint64_t program_seed);

/// Whole processes in turn, slot 0 first; their observer lines or their wall time are the samples.
[[nodiscard]] LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair,
                                            const Subject& subject, const LaunchPlan& plan,
                                            std::stop_token stop);

/// Both programs alive side by side on the measured processors, slices in turn: the `alternate` pairing.
[[nodiscard]] LaunchResult launch_slices(const HostSettings& settings, const ProgramPair& pair,
                                         const Subject& subject, const LaunchPlan& plan,
                                         std::stop_token stop);

}  // namespace tandem::runners
