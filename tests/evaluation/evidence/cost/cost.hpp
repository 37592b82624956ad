#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// A commit of a program of many benchmarks. Times in seconds.
struct CommitCost {
  std::size_t benchmarks = 0;
  std::string name;
  std::size_t judged = 0;
  std::size_t launches = 0;  ///< of its screens
  std::size_t suspects = 0;
  std::size_t units = 0;  ///< of its confirmations
  std::size_t links = 0;
  double seconds = 0;
  double formula = 0;
};

/// Where the wall time of a walk of several such commits went.
struct WalkCost {
  std::size_t benchmarks = 0;
  std::size_t layouts = 0;
  std::size_t commits = 0;
  std::size_t links = 0;
  double build = 0;  ///< of one, by hand, and so are the next two
  double link = 0;
  double start = 0;
  double wall = 0;
  double in_builds = 0;
  double in_links = 0;
  double in_launches = 0;
  double in_others = 0;
  double outside = 0;  ///< no child of the daemon was alive, or one that fetched
  std::size_t looks = 0;
};

/// A daemon that has nothing to do.
struct IdleCost {
  double seconds = 0;
  double own = 0;       ///< of processor time
  double children = 0;  ///< the same, of those that fetched
  double resident_mib = 0;
  double peak_mib = 0;
  double proportional_mib = 0;  ///< pages that are shared count in part
  std::size_t trials = 0;       ///< of live A/A that came in between: it was not idle all the time
};

/// A poll that finds nothing new.
struct PollCost {
  std::size_t commits = 0;
  std::string address;
  std::size_t rounds = 0;
  double milliseconds = 0;
  double git_milliseconds = 0;
};

struct Costs {
  std::vector<CommitCost> commits;
  std::vector<WalkCost> walks;
  std::optional<IdleCost> idle;
  std::vector<PollCost> polls;
};

/// What cost.sh and history.sh noted; of idle daemons the last one, of polls the last of each kind. Throws
/// Error when a row is none of theirs.
[[nodiscard]] Costs costs_in(std::span<const Journal::Fields> rows);

/// The work of a confirmation when it is asked with so many units, all earlier looks included.
struct LookCost {
  std::size_t units = 0;
  double milliseconds = 0;
};

/// What the statistics take in this process, as medians over batches.
struct JudgingCost {
  std::size_t pairs = 0;           ///< slices per launch
  double reduce_microseconds = 0;  ///< a launch to its two statistics
  double judge_microseconds = 0;  ///< the next launch of a screen: all e-processes, and whether it is decided
  double verdict_milliseconds = 0;     ///< of a screen at its last launch, with both intervals
  std::vector<LookCost> confirmation;  ///< of units that leave every look undecided
};

[[nodiscard]] JudgingCost measure_judging(std::uint64_t seed, PartSettings::Length length);

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
