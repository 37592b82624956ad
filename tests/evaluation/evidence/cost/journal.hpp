#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evidence/results/journal.hpp"

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

}  // namespace tandem::evaluation
