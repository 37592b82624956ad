#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/records/life.hpp"
#include "daemon/walk/bench.hpp"
#include "daemon/walk/culprit.hpp"
#include "daemon/walk/fix_trial.hpp"
#include "daemon/walk/pipeline.hpp"

namespace tandem::daemon {

/// Steps 5 to 7 of the walk: measures a suspect again, finds the commit, and writes down what came of it.
class Tribunal {
 public:
  Tribunal(const PipelineSettings& settings, const Workshop& workshop, Bench& bench)
      : settings_(settings),
        workshop_(workshop),
        bench_(bench),
        confirmer_(settings, workshop, bench),
        hunt_(settings, workshop, bench),
        fixes_(settings, workshop, bench) {}

  /// What the second trial found: steps of the level, or why there is none.
  struct Finding {
    RecordKind kind = RecordKind::not_reproduced;
    FoundStep step;
  };
  /// The culprit is confirmed against the nearest earlier commit that was examined; if only the long way from
  /// the control shows a change, it is looked for among all in between. Nothing: it was stopped.
  [[nodiscard]] std::optional<std::vector<Finding>> find(const Line& line, std::size_t position,
                                                         const Suspect& suspect, const std::stop_token& stop);

  /// Publishes and stores the outcome, together with the suspect's verdict if it came from a screen: a step
  /// with its culprit, or several; a change that accumulated; or a note. False if it was stopped before the
  /// end; then nothing is stored.
  [[nodiscard]] bool settle(const Line& line, std::size_t position, const Suspect& suspect,
                            const std::stop_token& stop);

  /// Why the last suspect could not be confirmed, a sentence; empty: it could be decided.
  [[nodiscard]] const std::string& why_unconfirmed() const { return why_unconfirmed_; }

  /// There is no time for it now: its verdict is stored with a note, and a request for later. False if it
  /// was stopped; then nothing is stored.
  [[nodiscard]] bool postpone(const Line& line, std::size_t position, const Suspect& suspect,
                              const std::stop_token& stop);

  /// How a change that only the shipped layout has stands at this commit, of each benchmark that has one. If
  /// it lasts, it is reported. False if it was stopped.
  [[nodiscard]] bool watch_shipped_layouts(const Line& line, std::size_t position,
                                           const std::vector<Trial>& trials, const std::stop_token& stop);

 private:
  [[nodiscard]] Request confirm_later(const Line& line, std::size_t position, const Suspect& suspect) const;
  /// False if it was stopped; then nothing is stored.
  [[nodiscard]] bool write(const Line& line, std::size_t position, const Suspect& suspect,
                           const std::vector<Finding>& findings, const std::vector<Request>& requests,
                           const std::stop_token& stop);
  /// What is left of a regression, by its id.
  struct Fix {
    std::string id;
    FixTrial trial;
    Ending ending;
  };
  /// What the improvement leaves of the regressions that it concerns, measured. Nothing: stopped.
  [[nodiscard]] std::optional<std::vector<Fix>> ended(const Line& line, const Record& improvement,
                                                      const std::vector<Record>& series,
                                                      const std::stop_token& stop);
  [[nodiscard]] Record record_of(const Line& line, std::size_t position, const Suspect& suspect,
                                 const Finding& finding, const std::stop_token& stop) const;
  void add_builds(const Line& line, const Suspect& suspect, const FoundStep& step, Record& record,
                  const std::stop_token& stop) const;
  void sight(const Line& line, std::size_t position, const Record& record, double log_ratio);

  const PipelineSettings& settings_;
  const Workshop& workshop_;
  Bench& bench_;
  Confirmer confirmer_;
  CulpritHunt hunt_;
  std::string why_unconfirmed_;
  FixTrials fixes_;
};

}  // namespace tandem::daemon
