#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/records/life.hpp"
#include "daemon/walk/confirmer.hpp"
#include "daemon/walk/control_choice.hpp"
#include "daemon/walk/culprit.hpp"
#include "daemon/walk/fix_trial.hpp"
#include "daemon/walk/trial_runner.hpp"

namespace tandem::daemon {

/// Steps 5 to 7 of the walk: settles a suspect, that is, measures it again, finds the commit, and writes down
/// what came of it. Screens, drifts, continued screens and requests all settle their suspects here.
class Settlement {
 public:
  Settlement(const WalkSettings& settings, const WalkContext& context, Builds& builds,
             ControlChoice& controls, TrialRunner& trials, Confirmer& confirmer, const VerdictLog& log)
      : settings_(settings),
        context_(context),
        builds_(builds),
        controls_(controls),
        trials_(trials),
        confirmer_(confirmer),
        log_(log),
        fixes_(settings, context, builds, controls, trials, confirmer) {}

  /// Publishes and stores the outcome, together with the suspect's verdict if it came from a screen: a step
  /// with its culprit, or several; a change that accumulated; or a note. False if it was stopped before the
  /// end; then nothing is stored.
  [[nodiscard]] bool settle(const Examination& at, const Suspect& suspect);

  /// Why the last suspect could not be confirmed, a sentence; empty: it could be decided.
  [[nodiscard]] const std::string& why_unconfirmed() const { return why_unconfirmed_; }

  /// There is no time for it now: its verdict is stored with a note, and a request for later. False if it
  /// was stopped; then nothing is stored.
  [[nodiscard]] bool postpone(const Examination& at, const Suspect& suspect);

  /// How a change that only the shipped layout has stands at this commit, of each benchmark that has one. If
  /// it lasts, it is reported. False if it was stopped.
  [[nodiscard]] bool watch_shipped_layouts(const Examination& at, const std::vector<Trial>& trials);

  [[nodiscard]] FixTrials& fixes() { return fixes_; }

 private:
  /// What the second trial found: a step of the level, or why there is none.
  struct Finding {
    RecordKind kind = RecordKind::not_reproduced;
    FoundStep step;
  };
  /// The culprit is confirmed against the nearest earlier commit that was examined; if only the long way from
  /// the control shows a change, it is looked for among all in between. Nothing: it was stopped.
  [[nodiscard]] std::optional<std::vector<Finding>> find(const Examination& at, const Suspect& suspect);
  [[nodiscard]] std::optional<std::vector<Finding>> attribute(const Examination& at, const Suspect& suspect,
                                                              std::size_t good,
                                                              const ConfirmationRecord& whole);
  [[nodiscard]] Request confirm_later(const Examination& at, const Suspect& suspect) const;
  /// False if it was stopped; then nothing is stored.
  [[nodiscard]] bool write(const Examination& at, const Suspect& suspect,
                           const std::vector<Finding>& findings, const std::vector<Request>& requests);
  /// What is left of a regression, by its id.
  struct Fix {
    std::string id;
    FixTrial trial;
    Ending ending;
  };
  /// What the improvement leaves of the regressions that it concerns, measured. Nothing: stopped.
  [[nodiscard]] std::optional<std::vector<Fix>> fixed_by(const Examination& at, const Record& improvement,
                                                         const std::vector<Record>& series);
  [[nodiscard]] Record record_of(const Examination& at, const Suspect& suspect, const Finding& finding) const;
  void add_builds(const Examination& at, const Suspect& suspect, const FoundStep& step, Record& record) const;
  void add_sighting(const Examination& at, const Record& record, double log_ratio);

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  ControlChoice& controls_;
  TrialRunner& trials_;
  Confirmer& confirmer_;
  const VerdictLog& log_;
  FixTrials fixes_;
  std::string why_unconfirmed_;
};

}  // namespace tandem::daemon
