#pragma once

#include "daemon/walk/build.hpp"
#include "daemon/walk/confirmer.hpp"
#include "daemon/walk/context.hpp"
#include "daemon/walk/control_choice.hpp"
#include "daemon/walk/culprit.hpp"
#include "daemon/walk/judge.hpp"
#include "daemon/walk/settle.hpp"
#include "daemon/walk/trial_runner.hpp"
#include "daemon/walk/verdict_log.hpp"

namespace tandem::daemon {

/// The steps of the walk on one platform of a watch, with what each of them remembers. The pipeline calls
/// them commit by commit; idle time and requests call those that they need.
struct WalkSteps {
  /// `walk_context` is copied; what it names outlives this.
  WalkSteps(WalkSettings walk_settings, WalkContext walk_context)
      : settings(std::move(walk_settings)), context(std::move(walk_context)) {}
  WalkSteps(const WalkSteps&) = delete;
  WalkSteps& operator=(const WalkSteps&) = delete;

  /// Lets go of what was built and read for the last commit.
  void clear() {
    builds.clear();
    controls.clear();
    log.clear();
    trials.clear();
  }

  const WalkSettings settings;
  const WalkContext context;
  Builds builds{settings, context};
  ControlChoice controls{settings, context};
  VerdictLog log{settings, context};
  TrialRunner trials{settings, context, builds, log};
  Judge judge{settings, context, builds, controls, trials, log};
  Confirmer confirmer{settings, context, builds, trials.layouts(), log};
  Settlement settlement{settings, context, builds, controls, trials, confirmer, log};

  /// A search for culprits of its own.
  [[nodiscard]] CulpritHunt hunt() { return {settings, context, builds, confirmer}; }
};

}  // namespace tandem::daemon
