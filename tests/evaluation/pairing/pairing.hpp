#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/pairing/arrangement.hpp"

namespace tandem::evaluation {

/// One measurement, as a line of evaluation/pairing.tsv with these fields in this order, separated by tabs. A
/// dash stands for no value.
struct Row {
  std::string workload;
  int percent = 0;  ///< more real work on the side of the treatment
  std::string method;
  std::string outcome;            ///< "ok", "refused" (the method cannot measure this workload) or "failed"
  std::optional<double> ratio;    ///< as ln(treatment / control), typical; of `costs`, the value itself
  std::optional<double> total;    ///< as ln(treatment / control), of the time spent
  std::optional<double> seconds;  ///< of machine time
  std::size_t count = 0;          ///< of launches, processes or repetitions
  std::string note;               ///< the arrangement, why not, or a p-value
};

/// One estimate of treatment / control in about `seconds` of machine time, starts of processes included. Of
/// the row only the workload, the per cent and the method are left to the caller.

/// The median over the launches of one arrangement.
[[nodiscard]] Row estimate_paired(runners::PairRunner& runner, const WorkloadPair& programs,
                                  const runners::Arrangement& arrangement, double seconds,
                                  std::uint64_t seed);

/// What most people do: all launches of the control, then all of the treatment, median by median. The slices
/// are those of `process`.
[[nodiscard]] Row estimate_one_after_the_other(runners::PairRunner& runner, const WorkloadPair& programs,
                                               double seconds, std::uint64_t seed);

/// What the pairings themselves take, as complete rows of the workload "costs": `hand_over_p50` and `_p99` by
/// the shared page with slices that hold nothing, `duet_skew_p50` and `_p99` between the two begins of slices
/// of 1 ms, both in ns; `inside_100`, `_300` and `_1000`, the share of the time inside slices of so many µs.
/// What fails is a row that says so.
[[nodiscard]] std::vector<Row> costs_of(runners::PairRunner& runner, const WorkloadPair& empty,
                                        const WorkloadPair& busy);

/// The Markdown of evaluation/pairing.md: spreads of a workload next to itself, what the means say, how much
/// of planted work is found, and what the pairings cost. Pure.
[[nodiscard]] std::string pairing_table(std::span<const Row> rows);

/// What pairing.sh measures with: one estimate, the costs, one rank-sum test, or the table of all. Returns
/// the exit code.
[[nodiscard]] int pairing_command(const std::vector<std::string>& words);

}  // namespace tandem::evaluation
