#pragma once

#include <string>
#include <vector>

#include "analysis/margin.hpp"
#include "daemon/measure/screening.hpp"
#include "daemon/measure/trial.hpp"
#include "daemon/walk/context.hpp"

namespace tandem::daemon {

/// The verdicts of the walk on their way into the store and the status.
class VerdictLog {
 public:
  VerdictLog(const WalkSettings& settings, const WalkContext& context)
      : settings_(settings), context_(context) {}

  /// Forgets the verdicts that were held back: their commit is examined again.
  void clear() { held_back_.clear(); }

  /// What was said of a candidate without a screen. `test`: nothing where no program was run for it.
  [[nodiscard]] store::StoredVerdict without_screen(const std::string& commit, const std::string& control,
                                                    const Test* test, const Candidate& candidate,
                                                    analysis::Outcome outcome, std::string note) const;
  /// What a screen said. The margin explains itself where it is wider than configured.
  [[nodiscard]] store::StoredVerdict of_screen(const std::string& commit, const std::string& control,
                                               const Test& test, const Candidate& candidate,
                                               const Screened& screened, const analysis::Margin& margin,
                                               std::uint64_t seed) const;

  void save(const store::StoredVerdict& verdict) const;
  /// With a verdict a benchmark counts as judged, and a suspect of another of its metrics is still to be
  /// settled: the verdict is stored by `save_held_back`.
  void hold_back(store::StoredVerdict verdict) { held_back_.push_back(std::move(verdict)); }
  void save_held_back();

  /// A margin that is lower than it was is an event.
  void note_margin(const Candidate& candidate, const analysis::Margin& margin) const;
  void show(const store::StoredVerdict& verdict) const;
  void show_progress(const ScreeningProgress& progress, const std::string& benchmark) const;

 private:
  const WalkSettings& settings_;
  const WalkContext& context_;
  std::vector<store::StoredVerdict> held_back_;
};

}  // namespace tandem::daemon
