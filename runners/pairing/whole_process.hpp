#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"

namespace tandem::runners {

/// One launch of whole processes, in the pairing of the subject's shape. What they print or use is what they
/// give.
[[nodiscard]] std::vector<Sampled> launch_processes(const HostSettings& settings, const ProgramPair& pair,
                                                    const Subject& subject, const LaunchPlan& plan,
                                                    const std::stop_token& stop);

/// What the commands of such a launch are made from.
struct ProcessLaunch : LaunchContext {
  std::vector<std::vector<std::string>> commands;  ///< of each side, one after the other
  enum class Limits { watched, left_alone } limits = Limits::left_alone;

  /// One command as it is started in a slot: no channel is offered to it.
  [[nodiscard]] Command command(std::size_t slot, std::size_t number, Scratch scratch = Scratch::own) const;
};

/// Runs all commands of one slot on these processors, and nothing of what is around them. Throws
/// `LaunchFailed`.
[[nodiscard]] Finished run_slot(const ProcessLaunch& launch, std::size_t slot, const std::vector<int>& cpus,
                                const std::stop_token& stop);

}  // namespace tandem::runners
