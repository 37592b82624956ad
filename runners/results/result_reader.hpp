#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"
#include "runners/results/adapter.hpp"

namespace tandem::runners {

/// All that one slot leaves for reading.
struct SlotEnd {
  Finished finished;                 ///< its commands
  std::string after = {};            ///< what `pair.after` printed
  std::vector<Series> written = {};  ///< from the files of `pair.written`
};

/// The results of one slot, as series: what its whole processes printed, by their protocol; observer lines in
/// what `after` printed; the written files. A plain command gives its wall time. Of slices only the latter
/// two are here.
[[nodiscard]] ReadSeries read_results(const ProgramPair& pair, Protocol protocol, const SlotEnd& end);

/// The same for a program of which nothing is known: the first protocol that finds results, else `command`.
struct Recognised {
  Protocol protocol = Protocol::command;
  ReadSeries results;
};
[[nodiscard]] Recognised recognise(const ProgramPair& pair, const SlotEnd& end);

/// What the output should have read as, for messages.
[[nodiscard]] std::string expected_form(const ProgramPair& pair, Protocol protocol);

/// The series of both sides; one that only one side printed has no values of the other. `launch` has
/// everything but the values. Tables are kept with the first series.
[[nodiscard]] std::vector<Sampled> pair_up(std::array<std::vector<Series>, 2> series, const LaunchPlan& plan,
                                           const Launch& launch);

/// Whether a launch measures just the benchmark that was selected: of slices, and of Google Benchmark
/// programs that the spec calls so. Other whole processes give all of theirs at once.
[[nodiscard]] bool selects_one(const ProgramPair& pair, Protocol protocol);

/// The commands that measure a subject: those of the pair, and what selects the benchmark added to the last.
[[nodiscard]] std::vector<std::vector<std::string>> commands_for(const ProgramPair& pair,
                                                                 const Subject& subject);

}  // namespace tandem::runners
