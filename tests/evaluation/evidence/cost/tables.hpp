#pragma once

#include <optional>

#include "evaluation/evidence/cost/journal.hpp"
#include "evaluation/evidence/cost/judging.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// Seconds of a walk by kind; what the formula says of them has no rest.
struct Kinds {
  double builds = 0;
  double links = 0;
  double launches = 0;
  double rest = 0;  ///< other children and no child at all
};
[[nodiscard]] Kinds measured_kinds(const WalkCost& walk);
[[nodiscard]] Kinds formula_kinds(const WalkCost& walk, const Costs& costs);

/// A commit without effect, which is what most commits are. Seconds by measurement only where so many
/// benchmarks were walked.
struct Throughput {
  std::size_t benchmarks = 0;
  std::optional<double> measured;
  double formula = 0;
};
/// For 50 and 200 benchmarks and whatever else was walked; without a walk of its own, from the launches per
/// benchmark, the build and the link of the nearest smaller one. Nothing if nothing was walked.
[[nodiscard]] std::vector<Throughput> throughputs(const Costs& costs);

[[nodiscard]] Table walks_table(const Costs& costs);
[[nodiscard]] Table commits_table(const Costs& costs);
[[nodiscard]] Table throughput_table(const Costs& costs);
[[nodiscard]] Table judging_table(const JudgingCost& judging);
[[nodiscard]] Table rest_table(const Costs& costs);

/// The largest walk by kind, measured beside the formula.
[[nodiscard]] Plot kinds_plot(const Costs& costs);

}  // namespace tandem::evaluation
