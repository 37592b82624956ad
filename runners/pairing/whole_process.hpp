#pragma once

#include <array>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/program_copies.hpp"
#include "runners/process/process.hpp"
#include "runners/results/result_reader.hpp"

namespace tandem::runners {

/// What a look at a program shows that ended by itself; its protocol is recognised by its output, or is that
/// of the spec.
[[nodiscard]] std::variant<ProgramFacts, RunFailure> facts_of_output(const ProgramPair& pair,
                                                                     const SlotEnd& end, Side side);

/// Looks at a program of which the spec says that it is a whole process (`pair.protocol`): runs its commands
/// once, without a channel; a Google Benchmark program is only asked for its list.
[[nodiscard]] std::variant<ProgramFacts, RunFailure> inspect_process(const HostSettings& settings,
                                                                     const ProgramPair& pair, Side side,
                                                                     const std::stop_token& stop);

/// The ground of one launch of whole processes.
struct ProcessGround : LaunchGround {
  std::vector<std::vector<std::string>> commands;  ///< of each side, one after the other
  enum class Limits { watched, left_alone } limits = Limits::left_alone;

  /// One command as it is started in a slot: no channel is offered to it.
  [[nodiscard]] Command command(std::size_t slot, std::size_t number, Scratch scratch = Scratch::own) const;
};

/// Adds one command's end to that of those before it: the last one's ending, the outputs and resources of
/// all.
void add_to(Finished& all, const Finished& one);

/// Runs all commands of one slot on these processors, and nothing of what is around them.
[[nodiscard]] std::variant<Finished, RunFailure> run_slot(const ProcessGround& ground, std::size_t slot,
                                                          const std::vector<int>& cpus,
                                                          const std::stop_token& stop);

}  // namespace tandem::runners
