#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "runners/pairing/launch_command.hpp"
#include "runners/results/result_reader.hpp"

namespace tandem::runners {

// What a slot does before and after its commands. None of it is measured. A command that fails is the failure
// of its side, with a sentence that names it.

/// Removes the results of an earlier launch that are still in kept directories, and runs `before`.
[[nodiscard]] std::optional<RunFailure> open_slot(const LaunchGround& ground, std::size_t slot,
                                                  const std::stop_token& stop);

/// Runs `after` and gives what it printed.
[[nodiscard]] std::variant<std::string, RunFailure> run_after(const LaunchGround& ground, std::size_t slot,
                                                              const std::stop_token& stop);

/// Runs `after` and reads the files with results. `finished` is how the commands ended.
[[nodiscard]] std::variant<SlotEnd, RunFailure> close_slot(const LaunchGround& ground, std::size_t slot,
                                                           Finished finished, const std::stop_token& stop);

}  // namespace tandem::runners
