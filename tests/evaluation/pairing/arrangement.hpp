#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::evaluation {

/// "PAIRING:SLICE_US:LAUNCH_MS", as in alternate:200:120. Nothing if the text is not one.
[[nodiscard]] std::optional<runners::Arrangement> arrangement_named(std::string_view text);
[[nodiscard]] std::string name_of(const runners::Arrangement& arrangement);

/// A workload that is ready to be measured: both programs and what one look at the control shows.
struct WorkloadPair {
  runners::ProgramPair pair;
  std::string benchmark;
  runners::BenchmarkFacts facts;
};

/// Throws Error with the runner's own words when the program cannot be measured.
[[nodiscard]] WorkloadPair look_at(runners::PairRunner& runner, const std::filesystem::path& control,
                                   const std::filesystem::path& treatment);

/// Launches that were made in the same way.
struct Launches {
  std::vector<runners::Launch> good;
  std::size_t failed = 0;
  std::string failure;  ///< the last one
};

/// Makes one launch more.
void launch_once(runners::PairRunner& runner, const WorkloadPair& programs, const runners::LaunchPlan& plan,
                 Launches& launches);

/// How a pairing measures without calibration, or why it cannot.
[[nodiscard]] std::variant<runners::Arrangement, std::string> usual_arrangement(const WorkloadPair& programs,
                                                                                runners::Pairing pairing);

}  // namespace tandem::evaluation
