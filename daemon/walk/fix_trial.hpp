#pragma once

#include <optional>
#include <stop_token>

#include "daemon/walk/bench.hpp"
#include "daemon/walk/pipeline.hpp"

namespace tandem::daemon {

/// Measures what faster commits leave of regressions, the one way in which a record becomes fixed or partly
/// fixed by a commit: a screen of the fixing commit against the culprit's parent and, if that is slower, a
/// confirmation. Sizes that were found at different times are never compared for it. Stores nothing.
class FixTrials {
 public:
  FixTrials(const PipelineSettings& settings, const Workshop& workshop, Bench& bench)
      : settings_(settings), workshop_(workshop), bench_(bench) {}

  /// The commit at `treatment` against the commit that the regression was confirmed against, or where that
  /// one is gone from the line the nearest before the culprit. `fixed_by` made it faster. Its outcome is
  /// anything but `hidden`. Another try of a measurement that did not decide goes on with its screen, so that
  /// however many tries cannot make a residue vanish more often than one may. Nothing: stopped.
  [[nodiscard]] std::optional<FixTrial> measure(const Line& line, std::size_t treatment,
                                                const Record& regression, const std::string& fixed_by,
                                                const std::stop_token& stop);

 private:
  const PipelineSettings& settings_;
  const Workshop& workshop_;
  Bench& bench_;
};

}  // namespace tandem::daemon
