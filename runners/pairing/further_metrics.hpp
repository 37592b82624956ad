#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "specs/benchmark/metric.hpp"

namespace tandem::runners {

/// What a launch has at hand when its own samples are taken.
struct AfterLaunch {
  const HostSettings& settings;
  const ProgramPair& pair;
  const Subject& subject;
  const LaunchPlan& plan;
  const Launch& launch;  ///< its usages, index and coin
};

/// The metrics of `pair.further_metrics` that a program does not report by itself: peak_memory and cpu_time
/// from the launch's usages, size from the program files, instructions and error from extra runs of both
/// sides. A plain command whose spec names none has cpu_time and peak_memory. Throws `LaunchFailed`.
///
/// They belong to the subject's benchmark, or else to "command". Extra runs are made where the plan says so,
/// once per screen, because what they show does not scatter. A value that the host does not know is
/// left out, never 0.
[[nodiscard]] std::vector<Sampled> further_metrics(const AfterLaunch& after, const std::stop_token& stop);

/// Adds what the launch did not give by itself: the program's own word for a metric counts.
void add_unknown(std::vector<Sampled>& sampled, std::vector<Sampled> further);

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
/// Throws `LaunchFailed`.
[[nodiscard]] double count_instructions(const InstructionTool& tool, const LaunchContext& context,
                                        const Subject& subject, std::size_t slot,
                                        const std::stop_token& stop);

/// The numbers of a text (between white space, commas or semicolons) or of raw floats, or a sentence without
/// subject that says what is wrong. NaN and infinity are numbers here.
[[nodiscard]] std::variant<std::vector<double>, std::string> read_numbers(std::string_view bytes,
                                                                          specs::Golden::Type type);

/// How far numbers are from the golden ones at the worst place.
struct OutputError {
  /// The largest difference among the numbers outside the relative tolerance.
  double absolute = 0;
  /// The largest share of the golden number among those outside the absolute tolerance.
  double relative = 0;
};

/// Both lists have one length. NaN is equal to NaN; where only one of two is a number, the error is infinite.
[[nodiscard]] OutputError compare_output(std::span<const double> golden, std::span<const double> found,
                                         const specs::Golden& tolerances);

/// The metric of an error, with the tolerance as its limit: "error" if an absolute one is given or none,
/// "relative_error" if a relative one is.
struct NamedError {
  specs::Metric metric;
  double value = 0;
};
[[nodiscard]] std::vector<NamedError> named(const OutputError& error, const specs::Golden& tolerances);

}  // namespace tandem::runners
