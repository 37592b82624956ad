#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/program_copies.hpp"
#include "specs/benchmark/metric.hpp"

namespace tandem::runners {

/// A tool that counts the user instructions of a program that it starts, and tells them on standard error.
struct InstructionTool {
  specs::InstructionCounter kind = specs::InstructionCounter::callgrind;  ///< never `automatic`
  std::filesystem::path path;

  /// What stands before the program's own words.
  [[nodiscard]] std::vector<std::string> prefix() const;
  /// The total, if the tool came to its end and could count.
  [[nodiscard]] std::optional<std::uint64_t> total_in(std::string_view errors) const;
};

/// What this host can use for the wish: perf is tried once, because virtual machines often have no counters.
/// The second form is a whole sentence that says why not and what to do.
[[nodiscard]] std::variant<InstructionTool, std::string> find_instruction_tool(
    specs::InstructionCounter wish, const std::vector<std::string>& environment, const std::stop_token& stop);

/// The instructions that one side takes: of a sliced program per iteration of the benchmark, as the
/// difference between a run with and one without a slice; of whole processes, of all commands together.
[[nodiscard]] std::variant<double, RunFailure> count_instructions(
    const InstructionTool& tool, const HostSettings& settings, const ProgramPair& pair,
    const Subject& subject, const LaunchPlan& plan, const ProgramCopies& copies, std::size_t slot,
    const std::stop_token& stop);

}  // namespace tandem::runners
