#pragma once

#include <optional>
#include <string>

#include "daemon/walk/build.hpp"
#include "daemon/walk/confirmer.hpp"
#include "daemon/walk/control_choice.hpp"
#include "daemon/walk/trial_runner.hpp"

namespace tandem::daemon {

/// Measures what faster commits leave of regressions, the one way in which a record becomes fixed or partly
/// fixed by a commit: a screen of the fixing commit against the culprit's parent and, if that is slower, a
/// confirmation. Sizes that were found at different times are never compared for it. Stores nothing.
class FixTrials {
 public:
  FixTrials(const WalkSettings& settings, const WalkContext& context, Builds& builds, ControlChoice& controls,
            TrialRunner& trials, Confirmer& confirmer)
      : settings_(settings),
        context_(context),
        builds_(builds),
        controls_(controls),
        trials_(trials),
        confirmer_(confirmer) {}

  /// The examined commit against the commit that the regression was confirmed against, or where that one is
  /// gone from the line the nearest before the culprit. `fixed_by` made it faster. Its outcome is anything
  /// but `hidden`. Another try of a measurement that did not decide goes on with its screen, so that however
  /// many tries cannot make a residue vanish more often than one may. Nothing: stopped.
  [[nodiscard]] std::optional<FixTrial> measure(const Examination& at, const Record& regression,
                                                const std::string& fixed_by);

  /// The commit that the regression was confirmed against; where the branch was rewritten, the nearest commit
  /// before the culprit stands for it. Nothing: the culprit is gone too.
  [[nodiscard]] std::optional<std::size_t> control_of(const Line& line, const Record& regression);

 private:
  /// The trial of the record's benchmark alone; nothing: none of the tests lists it, or stopped.
  [[nodiscard]] std::optional<Trial> trial_of(const Examination& at, const builders::Executable& executable,
                                              const Record& regression, std::size_t control);

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  ControlChoice& controls_;
  TrialRunner& trials_;
  Confirmer& confirmer_;
};

}  // namespace tandem::daemon
