#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "builders/builder.hpp"
#include "daemon/arranging.hpp"
#include "daemon/control_rule.hpp"
#include "daemon/layouts.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/screening.hpp"
#include "daemon/spec_tests.hpp"

namespace tandem::daemon {

/// One benchmark of the treatment, under its own name and under the one that the store knows.
struct Candidate {
  std::string in_program;
  std::string name;
  specs::Metric metric;
};

/// Benchmarks that are measured together against one control.
struct Trial {
  const Test* test = nullptr;
  runners::Protocol protocol = runners::Protocol::slices;
  std::vector<Candidate> candidates;  ///< one for slices; all of a process that share their control
  std::optional<std::size_t>
      control;              ///< a position on the line; nothing: there is no commit to compare with
  std::size_t threads = 1;  ///< of whole processes
};

/// A benchmark whose screen found a change, waiting for its confirmation.
struct Suspect {
  const Test* test = nullptr;
  runners::Subject subject;  ///< as the confirmation measures it
  Candidate candidate;
  std::size_t control = 0;
  Screened screened;
  std::uint64_t seed = 0;
  std::string layout;  ///< describe_layouts
};

/// Steps 1b to 4 of the walk: which benchmark against which control, build, run, judge.
class Bench {
 public:
  Bench(const PipelineSettings& settings, const Workshop& workshop)
      : settings_(settings),
        workshop_(workshop),
        layouts_(workshop.builder, workshop.runner, settings.scratch, settings.layouts) {}

  /// Lets go of what was built for the last commit: it is read from the cache again, and checked.
  void clear();

  /// The commit's executable, or nothing if it does not build; the outcome is stored. With a stop request
  /// nothing is stored and nothing is returned.
  const builders::Executable* build(const builders::Commit& commit, const std::stop_token& stop);

  /// What remains to be judged of this commit: benchmarks already stored are left out.
  std::vector<Trial> trials(const Line& line, std::size_t position, const builders::Executable& treatment,
                            const std::stop_token& stop);

  /// Screens a trial, stores what is no suspect and returns what is.
  std::vector<Suspect> judge(const Line& line, std::size_t position, const builders::Executable& treatment,
                             Trial trial, const std::stop_token& stop);

  /// Whether the commit at this position was examined, builds and has the benchmark.
  bool usable(const Line& line, std::size_t position, const std::string& benchmark);
  /// The nearest such commit before `position`.
  std::optional<std::size_t> nearest_before(const Line& line, std::size_t position,
                                            const std::string& benchmark);

  /// Notes benchmarks that the commit before still had.
  void note_missing(const Line& line, std::size_t position);

  [[nodiscard]] store::StoredVerdict verdict_of(const std::string& commit, const std::string& control,
                                                const Candidate& candidate, const Screened& screened,
                                                std::uint64_t seed) const;
  [[nodiscard]] LayoutShelf& layouts() { return layouts_; }
  void tell_verdict(const store::StoredVerdict& verdict) const;
  void tell_progress(const ScreeningProgress& progress, const std::string& name) const;

 private:
  std::optional<std::size_t> control_for(const Line& line, std::size_t position, const Candidate& candidate);
  [[nodiscard]] std::optional<std::size_t> last_step_before(const Line& line, std::size_t position,
                                                            const Candidate& candidate) const;
  const std::set<std::string>& benchmarks_of(const std::string& commit);
  /// What the store knew of this host when the commit's examination began.
  struct Calibrations {
    std::map<std::string, analysis::Calibration> by_name;
    std::string host;
    std::string host_unfit;
  };
  const Calibrations& calibrations();
  /// Of the trial's first candidate: benchmarks of one process share their launches.
  Arranged arrange(const Trial& trial, const runners::BenchmarkFacts& facts);
  /// From a calibration in this arrangement, or from the A/A of an earlier screen.
  std::optional<PriorSigma> prior_of(const std::string& benchmark, const Arranged& arranged);
  /// Why a change of it is not confirmed; empty: it is.
  [[nodiscard]] std::string unfit(const std::string& benchmark);
  /// "failed", or which side fails alone.
  [[nodiscard]] std::string failure_name(const runners::ProgramPair& pair, const runners::Subject& subject,
                                         const runners::RunFailure& failure,
                                         const std::stop_token& stop) const;
  /// A program that does not even list its benchmarks: those it had before fail, if the control's still run.
  void save_failed_start(const Line& line, std::size_t position, const builders::Executable& treatment,
                         const Test& test, const runners::RunFailure& failure, const std::stop_token& stop);
  /// What the launches showed beside the metric that is judged: stored, not confirmed.
  void save_further_metric(const std::string& commit, const std::string& control, const Trial& trial,
                           const Screened& screened, std::uint64_t seed);
  void save_without_screen(const std::string& commit, const std::string& control, const Candidate& candidate,
                           const std::string& outcome, const std::string& note);

  const PipelineSettings& settings_;
  const Workshop& workshop_;
  LayoutShelf layouts_;
  std::map<std::string, builders::Executable> executables_;
  std::map<std::string, std::set<std::string>> benchmarks_;  ///< of examined commits
  std::map<std::string, PriorSigma> priors_;                 ///< by full name
  std::optional<Calibrations> calibrations_;
};

}  // namespace tandem::daemon
