#pragma once

#include <string>
#include <vector>

#include "daemon/measure/trial.hpp"
#include "daemon/walk/build.hpp"
#include "daemon/walk/context.hpp"
#include "daemon/walk/control_choice.hpp"
#include "daemon/walk/trial_runner.hpp"
#include "daemon/walk/verdict_log.hpp"

namespace tandem::daemon {

/// Step 4 of the walk: what is to be judged of a commit, and the verdict on each benchmark. What did not
/// change is stored here; what did is a suspect.
class Judge {
 public:
  Judge(const WalkSettings& settings, const WalkContext& context, Builds& builds, ControlChoice& controls,
        TrialRunner& trials, VerdictLog& log)
      : settings_(settings),
        context_(context),
        builds_(builds),
        controls_(controls),
        trials_(trials),
        log_(log) {}

  /// What remains to be judged of this commit: benchmarks already stored are left out.
  std::vector<Trial> trials_of(const Examination& at, const builders::Executable& treatment);

  /// Screens a trial, stores what is no suspect and returns what is. Throws Error if it can only be measured
  /// later.
  std::vector<Suspect> judge(const Examination& at, const Trial& trial);

  /// Notes benchmarks that the commit before still had.
  void note_missing(const Examination& at);

 private:
  /// The plan of the walk's own screens of the commit.
  [[nodiscard]] TrialPlan plan_of_walk(const Examination& at) const;
  /// A program that does not even list its benchmarks: those it had before fail, if the control's still run.
  void save_failed_start(const Examination& at, const builders::Executable& treatment, const Test& test,
                         const runners::RunFailure& failure);
  /// A benchmark without a control: new, or another one than before.
  void save_beginning(const Examination& at, const Trial& trial);
  /// Leaves out what need not be measured, because it is the same as something judged.
  void save_identical(const Examination& at, Trial& trial);
  void save_not_measured(const Examination& at, const Trial& trial, const NotMeasured& reason);
  /// A verdict that changed is a suspect, unless nothing is to be confirmed; else it is stored.
  void sort_out(const Examination& at, const Trial& trial, const Measured& measured,
                const Candidate& candidate, const Screened& screened, std::vector<Suspect>& suspects);
  /// What the launches showed beside the metrics that are judged for their own sake.
  void judge_further(const Examination& at, const Trial& trial, const Measured& measured,
                     std::vector<Suspect>& suspects);
  [[nodiscard]] store::StoredVerdict verdict_of(const Examination& at, const Trial& trial,
                                                const Measured& measured, const Candidate& candidate,
                                                const Screened& screened);
  void report_results(const Examination& at, const Trial& trial, const Measured& measured) const;

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  ControlChoice& controls_;
  TrialRunner& trials_;
  VerdictLog& log_;
};

}  // namespace tandem::daemon
