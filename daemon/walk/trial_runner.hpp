#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/measure/layouts.hpp"
#include "daemon/measure/measure.hpp"
#include "daemon/measure/trial.hpp"
#include "daemon/walk/build.hpp"
#include "daemon/walk/context.hpp"
#include "daemon/walk/verdict_log.hpp"

namespace tandem::daemon {

/// Step 3 of the walk: measures trials between any two commits of a line, each benchmark as its calibration
/// says, and stores nothing but builds.
class TrialRunner {
 public:
  TrialRunner(const WalkSettings& settings, const WalkContext& context, Builds& builds, const VerdictLog& log)
      : settings_(settings),
        context_(context),
        builds_(builds),
        log_(log),
        layouts_(context.builder, context.runner, settings.scratch) {}

  /// Lets go of layouts, and of what the store said of this host.
  void clear();

  /// The benchmarks that the test's program lists, each as a trial against no control yet; a failure if it
  /// lists none.
  [[nodiscard]] std::variant<std::vector<Trial>, runners::RunFailure> list(
      const Test& test, const builders::Executable& executable, const std::stop_token& stop);

  /// Measures the trial at the examined commit. Nothing: stopped.
  [[nodiscard]] std::optional<std::variant<Measured, NotMeasured>> measure(const Examination& at,
                                                                           const Trial& trial,
                                                                           const TrialPlan& plan);

  /// What was measured of the candidate, as a suspect.
  [[nodiscard]] Suspect suspect_of(const Trial& trial, const Measured& measured, const Candidate& candidate,
                                   const Screened& screened);

  /// What a confirmation of the trial's only candidate would measure, as if the record's change were
  /// suspected again. Nothing: it was stopped, or cannot be measured.
  [[nodiscard]] std::optional<Suspect> as_if_suspect(const Examination& at, const Trial& trial,
                                                     const Record& record);

  /// δ of a benchmark: as configured, or more where its layouts or its length ask for it.
  [[nodiscard]] analysis::Margin margin_of(const Test& test, const std::string& benchmark);

  /// Why a change of it is not confirmed; empty: it is.
  [[nodiscard]] std::string unfit(const std::string& benchmark);

  /// What the next screen of the benchmark expects, where no calibration says it.
  void remember_noise(const std::string& benchmark, const PriorSigma& sigma) { noise_[benchmark] = sigma; }

  [[nodiscard]] Layouts& layouts() { return layouts_; }

 private:
  /// What the store knew of this host when the commit's examination began.
  struct Calibrations {
    std::map<std::string, analysis::Calibration> by_name;
    std::string host;
    std::string host_unfit;
  };
  const Calibrations& calibrations();
  /// The calibration of a benchmark on this host; nothing: there is none that holds.
  const analysis::Calibration* calibration_of(const std::string& benchmark);
  [[nodiscard]] std::variant<MeasurementPlan, runners::RunFailure> plan_of(const Trial& trial,
                                                                           const runners::ProgramPair& pair,
                                                                           const std::stop_token& stop);
  /// From a calibration in this arrangement, or from the A/A of an earlier screen.
  std::optional<PriorSigma> expected_noise(const std::string& benchmark, const MeasurementPlan& plan);
  /// Why no screen within the launches allowed would find twice the margin, of all of the trial's benchmarks;
  /// nothing: one of them may be measured.
  std::optional<std::string> unmeasurable(const Trial& trial, const MeasurementPlan& plan,
                                          std::size_t max_launches);
  /// How many layouts a screen draws from: more after a change that only the shipped one had.
  std::size_t layouts_for(const Examination& at, const Trial& trial);

  const WalkSettings& settings_;
  const WalkContext& context_;
  Builds& builds_;
  const VerdictLog& log_;
  Layouts layouts_;
  std::map<std::string, PriorSigma> noise_;          ///< by full name: what the A/A of a screen found
  std::map<std::string, double> iteration_seconds_;  ///< by full name
  std::optional<Calibrations> calibrations_;
};

}  // namespace tandem::daemon
