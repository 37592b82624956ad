#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "builders/builder.hpp"
#include "daemon/walk/arranging.hpp"
#include "daemon/walk/control.hpp"
#include "daemon/walk/layouts.hpp"
#include "daemon/walk/pipeline.hpp"
#include "daemon/walk/screening.hpp"
#include "daemon/walk/spec_tests.hpp"

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

/// What is asked of a trial beyond its benchmarks.
struct TrialPlan {
  std::size_t treatment = 0;      ///< a position on the line; the control is the trial's
  std::string words = {};         ///< coins of their own for every purpose; empty: those of the walk
  std::size_t max_launches = 66;  ///< those of a stored screen included
  std::map<std::string, analysis::ScreenHistory> goes_on = {};  ///< by series_key: stored screens
  std::string metric = {};  ///< the one for whose sake alone it is made; empty: the program's first
  /// What is done if a program that has other layouts cannot be linked again now.
  enum class Unlinked { put_off, measured_as_built } unlinked = Unlinked::put_off;
};

/// Whether both programs of a trial have other layouts, though they may not have been linked this time.
enum class Relinking { possible, not_possible };

/// A trial that was made; nothing of it is stored.
struct Measured {
  std::vector<Screened> screened;
  runners::Subject confirmation;  ///< how a confirmation measures it
  std::uint64_t seed = 0;
  std::string layout;  ///< describe_layouts
  Relinking relinking = Relinking::not_possible;
};

/// Why a trial could not be made: an outcome ("failed", "treatment_fails", …) and a sentence.
struct NotMeasured {
  std::string outcome;
  std::string why;
  enum class Lasts { always, for_now } lasts = Lasts::always;
};

/// A change that waits for its confirmation.
struct Suspect {
  const Test* test = nullptr;
  runners::Subject subject;  ///< as the confirmation measures it
  Candidate candidate;
  std::size_t control = 0;
  Screened screened;
  std::uint64_t seed = 0;
  std::string layout;  ///< describe_layouts
  Relinking relinking = Relinking::not_possible;
  analysis::Margin margin = {};
  double q_value = 1;
  /// Of a drift: positions that its points show most of it to lie between.
  std::optional<std::pair<std::size_t, std::size_t>> likely_range = {};
  enum class Origin { screen, drift } origin = Origin::screen;  ///< only a screen's verdict is stored with it
};

/// What the trial measured of a candidate; nothing: not this one.
[[nodiscard]] const Screened* screened_of(const Measured& measured, const Candidate& candidate);

/// The trial with this control and, of its candidates, those that are wanted.
[[nodiscard]] Trial narrowed(const Trial& trial, std::size_t control, std::vector<Candidate> wanted);

/// Steps 1b to 4 of the walk: which benchmark against which control, build, run, judge.
class Bench {
 public:
  Bench(const PipelineSettings& settings, const Workshop& workshop)
      : settings_(settings),
        workshop_(workshop),
        layouts_(workshop.builder, workshop.runner, settings.scratch) {}

  /// Lets go of what was built for the last commit: it is read from the cache again, and checked.
  void clear();

  /// The commit's executable, or nothing if it does not build; the outcome is stored, unless it may build
  /// later (`unbuilt`). With a stop request nothing is stored and nothing is returned. Throws HostError if no
  /// commit could be built.
  const builders::Executable* build(const builders::Commit& commit, const std::stop_token& stop);

  /// Why the commit could not be built now, for a reason that may pass. Nothing: there is no such reason.
  [[nodiscard]] std::optional<builders::BuildFailure> unbuilt(const std::string& commit) const;

  /// What remains to be judged of this commit: benchmarks already stored are left out.
  std::vector<Trial> trials(const Line& line, std::size_t position, const builders::Executable& treatment,
                            const std::stop_token& stop);

  /// The benchmarks that the test's program lists, each as a trial against no control yet; a failure if it
  /// lists none.
  [[nodiscard]] std::variant<std::vector<Trial>, runners::RunFailure> listed(
      const Test& test, const builders::Executable& executable, const std::stop_token& stop);

  /// Runs a trial and says what came of it, without storing anything but builds. Nothing: stopped.
  [[nodiscard]] std::optional<std::variant<Measured, NotMeasured>> measure(const Line& line,
                                                                           const Trial& trial,
                                                                           const TrialPlan& plan,
                                                                           const std::stop_token& stop);

  /// Screens a trial, stores what is no suspect and returns what is. Throws Error if it can only be measured
  /// later.
  std::vector<Suspect> judge(const Line& line, std::size_t position, const Trial& trial,
                             const std::stop_token& stop);

  /// Stores the verdicts that `judge` held back: with it a benchmark counts as judged, and a suspect of
  /// another of its metrics was still to be settled.
  void save_held_back();

  /// What the trial measured of the candidate, as a suspect.
  [[nodiscard]] Suspect suspect_of(const Trial& trial, const Measured& measured, const Candidate& candidate,
                                   const Screened& screened);

  /// What a confirmation of the candidate would measure, as if the record's change were suspected again.
  /// Nothing: it was stopped, or cannot be measured.
  [[nodiscard]] std::optional<Suspect> as_if_suspect(const Line& line, std::size_t position,
                                                     const Trial& trial, const Candidate& candidate,
                                                     const Record& record, const std::stop_token& stop);

  /// δ of a benchmark: as configured, or more where its layouts or its length ask for it.
  [[nodiscard]] analysis::Margin margin_of(const Test& test, const std::string& benchmark);

  /// Whether the commit at this position was examined, builds and has the benchmark.
  bool usable(const Line& line, std::size_t position, const std::string& benchmark);
  /// The nearest such commit before `position`.
  std::optional<std::size_t> nearest_before(const Line& line, std::size_t position,
                                            const std::string& benchmark);
  /// What the benchmark of a commit at this position is compared with; nothing: there is no such commit.
  std::optional<std::size_t> control_for(const Line& line, std::size_t position, const Test& test,
                                         const Candidate& candidate);

  /// Whether the benchmark at an examined commit is the same thing as at `position`, as far as is known.
  bool comparable(const Line& line, std::size_t at, std::size_t position, const Test& test,
                  const std::string& benchmark);

  /// Notes benchmarks that the commit before still had.
  void note_missing(const Line& line, std::size_t position);

  /// Why a change of it is not confirmed; empty: it is.
  [[nodiscard]] std::string unfit(const std::string& benchmark);

  [[nodiscard]] store::StoredVerdict verdict_of(const std::string& commit, const std::string& control,
                                                const Test& test, const Candidate& candidate,
                                                const Screened& screened, std::uint64_t seed);
  [[nodiscard]] LayoutShelf& layouts() { return layouts_; }
  void tell_verdict(const store::StoredVerdict& verdict) const;
  void tell_progress(const ScreeningProgress& progress, const std::string& name) const;

 private:
  struct KnownBenchmark {
    std::string definition;
    bool begins = false;  ///< it is another one than before
  };
  /// The benchmarks of an examined commit.
  const std::map<std::string, KnownBenchmark>& benchmarks_of(const std::string& commit);
  /// The last commit before `position` at which the benchmark got another version; else the first of the
  /// line.
  std::size_t beginning_of(const Line& line, std::size_t position, const std::string& benchmark,
                           const std::string& definition);
  /// What the benchmark is at a commit, as far as it is known before it runs: its spec, and the version that
  /// the nearest earlier commit had.
  std::string expected_definition(const Line& line, std::size_t position, const Test& test,
                                  const std::string& benchmark);
  /// What the store knew of this host when the commit's examination began.
  struct Calibrations {
    std::map<std::string, analysis::Calibration> by_name;
    std::string host;
    std::string host_unfit;
  };
  const Calibrations& calibrations();
  /// The calibration of a benchmark on this host; nothing: there is none that holds.
  const analysis::Calibration* calibration_of(const std::string& benchmark);
  /// Of the trial's first candidate: benchmarks of one process share their launches.
  Arranged arrange(const Trial& trial, const runners::BenchmarkFacts& facts);
  /// From a calibration in this arrangement, or from the A/A of an earlier screen.
  std::optional<PriorSigma> prior_of(const std::string& benchmark, const Arranged& arranged);
  /// Why no screen within the launches allowed would find twice the margin, of all of the trial's benchmarks;
  /// nothing: one of them may be measured.
  std::optional<std::string> unmeasurable(const Trial& trial, const Arranged& arranged,
                                          std::size_t max_launches);
  /// The plan of the walk's own screens of the commit.
  TrialPlan plan_of_walk(const Line& line, std::size_t position) const;
  /// How many layouts a screen draws from: more after a change that only the shipped one had.
  std::size_t layouts_for(const Line& line, const Trial& trial, std::size_t treatment);
  /// The facts of a sliced benchmark; of others what is known without a look.
  std::variant<runners::BenchmarkFacts, runners::RunFailure> look(const Trial& trial,
                                                                  const runners::ProgramPair& pair,
                                                                  const std::stop_token& stop);
  /// "failed", or which side fails alone.
  [[nodiscard]] std::string failure_name(const runners::ProgramPair& pair, const runners::Subject& subject,
                                         const runners::RunFailure& failure,
                                         const std::stop_token& stop) const;
  /// A program that does not even list its benchmarks: those it had before fail, if the control's still run.
  void save_failed_start(const Line& line, std::size_t position, const builders::Executable& treatment,
                         const Test& test, const runners::RunFailure& failure, const std::stop_token& stop);
  /// A benchmark without a control: new, or another one than before.
  void save_beginning(const Line& line, std::size_t position, const Trial& trial);
  /// Leaves out what need not be measured, because it is the same as something judged.
  void save_identical(const Line& line, std::size_t position, Trial& trial);
  void save_not_measured(const Line& line, std::size_t position, const Trial& trial,
                         const NotMeasured& reason);
  /// A verdict that changed is a suspect, unless nothing is to be confirmed; else it is stored.
  void sort_out(const Line& line, std::size_t position, const Trial& trial, const Measured& measured,
                const Candidate& candidate, const Screened& screened, std::vector<Suspect>& suspects);
  /// What the launches showed beside the metrics that are judged for their own sake.
  void judge_further(const Line& line, std::size_t position, const Trial& trial, const Measured& measured,
                     std::vector<Suspect>& suspects, const std::stop_token& stop);
  /// The verdict of a screen as it is, with a remark at its end.
  void save_verdict(const Line& line, std::size_t position, const Trial& trial, const Measured& measured,
                    const Candidate& candidate, const Screened& screened, const std::string& remark);
  [[nodiscard]] store::StoredVerdict bare_verdict(const std::string& commit, const std::string& control,
                                                  const Test* test, const Candidate& candidate,
                                                  const std::string& outcome, const std::string& note,
                                                  const std::string& version = {}) const;
  void save_without_screen(const std::string& commit, const std::string& control, const Test* test,
                           const Candidate& candidate, const std::string& outcome, const std::string& note,
                           const std::string& version = {});
  /// A margin that is lower than it was is said aloud.
  void note_margin(const Candidate& candidate, const analysis::Margin& margin);

  const PipelineSettings& settings_;
  const Workshop& workshop_;
  LayoutShelf layouts_;
  std::map<std::string, builders::Executable> executables_;
  std::map<std::string, std::map<std::string, KnownBenchmark>> benchmarks_;  ///< of examined commits
  std::map<std::string, PriorSigma> priors_;                                 ///< by full name
  std::map<std::string, double> iteration_seconds_;                          ///< by full name
  std::optional<Calibrations> calibrations_;
  std::vector<store::StoredVerdict> held_back_;
  std::map<std::string, builders::BuildFailure> unbuilt_;  ///< by commit: what may pass later
};

}  // namespace tandem::daemon
