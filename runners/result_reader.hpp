#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/pair_runner.hpp"
#include "runners/process.hpp"
#include "runners/series.hpp"

namespace tandem::runners {

/// What a whole process of a protocol printed, as series. A plain command gives its wall time.
[[nodiscard]] ReadSeries read_results(const ProgramPair& pair, Protocol protocol, const Finished& finished);

/// The same for a program of which nothing is known: the first protocol that finds results, else `command`.
struct Recognised {
  Protocol protocol = Protocol::command;
  ReadSeries results;
};
[[nodiscard]] Recognised recognise(const ProgramPair& pair, const Finished& finished);

/// Whether a launch measures just the benchmark that was selected: of slices, and of Google Benchmark
/// programs that the spec calls so. Other whole processes give all of theirs at once.
[[nodiscard]] bool selects_one(const ProgramPair& pair, Protocol protocol);

/// The commands that measure a subject: those of the pair, and what selects the benchmark added to the last.
[[nodiscard]] std::vector<std::vector<std::string>> commands_for(const ProgramPair& pair,
                                                                 const Subject& subject);

}  // namespace tandem::runners
