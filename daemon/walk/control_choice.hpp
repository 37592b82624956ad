#pragma once

#include <map>
#include <optional>
#include <string>

#include "daemon/measure/trial.hpp"
#include "daemon/walk/context.hpp"

namespace tandem::daemon {

/// Step 1 of the walk: which earlier commit a benchmark is compared with, from what the store knows of the
/// benchmarks of examined commits.
class ControlChoice {
 public:
  ControlChoice(const WalkSettings& settings, const WalkContext& context)
      : settings_(settings), context_(context) {}

  /// Keeps what is known of examined commits within bounds.
  void clear();

  /// What the benchmark of the commit at this position is compared with; nothing: there is no such commit.
  std::optional<std::size_t> control_for(const Line& line, std::size_t position, const Test& test,
                                         const Candidate& candidate);

  /// The nearest commit before `position`, and leading to it, that was examined, builds and has the
  /// benchmark.
  std::optional<std::size_t> nearest_before(const Line& line, std::size_t position,
                                            const std::string& benchmark);

  /// The definition that the benchmark has at an examined commit; nothing: the commit does not have it.
  std::optional<store::Definition> definition_at(const std::string& commit, const std::string& benchmark);

  /// Whether the benchmark at an examined commit is the same thing as at `position`, as far as is known.
  bool comparable(const Line& line, std::size_t at, std::size_t position, const Test& test,
                  const std::string& benchmark);

 private:
  struct KnownBenchmark {
    store::Definition definition;
    bool begins = false;  ///< it is another one than before
  };
  /// The benchmarks of an examined commit.
  const std::map<std::string, KnownBenchmark>& benchmarks_of(const std::string& commit);
  bool usable(const Line& line, std::size_t position, const std::string& benchmark);
  /// The last commit before `position` at which the benchmark got another version; else the first of the
  /// line.
  std::size_t beginning_of(const Line& line, std::size_t position, const std::string& benchmark,
                           const store::Definition& definition);
  /// What the benchmark is at a commit, as far as it is known before it runs: its spec, and the version that
  /// the nearest earlier commit had.
  store::Definition expected_definition(const Line& line, std::size_t position, const Test& test,
                                        const std::string& benchmark);

  const WalkSettings& settings_;
  const WalkContext& context_;
  std::map<std::string, std::map<std::string, KnownBenchmark>> benchmarks_;  ///< by examined commit
};

}  // namespace tandem::daemon
