#include "daemon/walk/confirmer.hpp"

#include <limits>
#include <utility>

#include "analysis/statistics.hpp"
#include "builders/cache/budget.hpp"
#include "runners/pairing/hooked_runner.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::daemon {
namespace {

using analysis::ConfirmationOutcome;
using builders::Executable;
using builders::RelinkFailure;
using runners::RunFailure;

/// Where nothing can be relinked the bar is four times the spread over commits without effect. Until five of
/// those were seen, the spread that other layouts of one source typically show is assumed.
constexpr double assumed_null_spread = 0.005;
constexpr std::size_t fewest_null_commits = 5;
constexpr std::size_t null_commits = 30;

}  // namespace

analysis::Direction direction_of(const Suspect& suspect) {
  return suspect.screened.verdict.outcome == analysis::Outcome::slower ? analysis::Direction::slower
                                                                       : analysis::Direction::faster;
}

bool is_relinked(const Suspect& suspect) {
  return suspect.relinking == Relinking::possible;
}

bool is_confirmed(const std::optional<ConfirmationRecord>& record) {
  return record && record->result.outcome == ConfirmationOutcome::confirmed;
}

bool has_failed(const std::optional<ConfirmationRecord>& record) {
  return record && !record->failure.empty();
}

ConfirmationRecord failed_confirmation(const Suspect& suspect, std::string why) {
  ConfirmationRecord record;
  record.exact = suspect.screened.rule == Screened::Rule::exact;
  record.result.outcome = ConfirmationOutcome::failed;
  // Nothing was measured, so nothing is excluded.
  record.result.ratio = {1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  record.result.next_look = 0;
  record.failure = std::move(why);
  return record;
}

/// A task with what it holds on to: the layouts of the unit that runs.
struct Confirmer::Prepared {
  explicit Prepared(LayoutShelf& shelf) : layouts(shelf) {}
  ~Prepared() { layouts.drop(linked); }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  LayoutShelf& layouts;
  ConfirmationTask task;
  bool fresh = false;
  std::vector<Executable> linked;
  std::optional<RelinkFailure> unlinked;  ///< why the last unit has no programs
};

std::unique_ptr<Confirmer::Prepared> Confirmer::prepare(const Line& line, std::size_t control,
                                                        std::size_t treatment, const Suspect& suspect,
                                                        std::uint64_t stream, const std::stop_token& stop) {
  const Executable* one = bench_.build(line.commits[control], stop);
  const Executable* other = one == nullptr ? nullptr : bench_.build(line.commits[treatment], stop);
  if (other == nullptr || stop.stop_requested()) return nullptr;
  auto prepared = std::make_unique<Prepared>(bench_.layouts());
  ConfirmationTask& task = prepared->task;
  const auto built = pair_of(*suspect.test, *one, *other, settings_.scratch);
  prepared->fresh =
      is_relinked(suspect) && one->layout_unresolved.empty() && other->layout_unresolved.empty();
  task.seed = suspect.seed + (stream << 32);
  if (prepared->fresh) {
    task.as_built = built;
    task.pair = [this, one, other, &suspect, &held = prepared->linked, &unlinked = prepared->unlinked,
                 seed = task.seed,
                 stop](std::uint64_t unit) -> std::variant<runners::ProgramPair, std::string> {
      bench_.layouts().drop(held);
      unlinked.reset();
      Random seeds(seed ^ (unit + 1) * 0xd1342543de82ef95);
      for (const Executable* side : {one, other}) {
        auto layout = bench_.layouts().fresh(*side, seeds.next() | builders::first_fresh_layout, stop);
        if (auto* why = std::get_if<RelinkFailure>(&layout)) {
          unlinked = std::move(*why);
          return unlinked->sentence;
        }
        held.push_back(std::get<Executable>(std::move(layout)));
      }
      return pair_of(*suspect.test, held[0], held[1], settings_.scratch);
    };
  } else {
    task.pair = [built](std::uint64_t) -> std::variant<runners::ProgramPair, std::string> { return built; };
  }
  task.subject = suspect.subject;
  task.benchmark = suspect.candidate.in_program;
  task.metric = suspect.candidate.metric;
  task.suspected = direction_of(suspect);
  task.statistic =
      suspect.screened.verdict.decided_by_total ? analysis::Statistic::total : analysis::Statistic::median;
  task.minimum_effect = bar(suspect, prepared->fresh);
  task.margin = suspect.margin.value;
  return prepared;
}

std::optional<ConfirmationRecord> Confirmer::confirm(const Line& line, std::size_t control,
                                                     std::size_t treatment, const Suspect& suspect,
                                                     std::uint64_t stream, const std::stop_token& stop,
                                                     double alpha) {
  const auto prepared = prepare(line, control, treatment, suspect, stream, stop);
  if (!prepared) return std::nullopt;
  prepared->task.alpha = alpha;
  const auto show = [&](const ScreeningProgress& progress) {
    bench_.tell_progress(progress, suspect.candidate.name);
  };
  RunSamples samples;
  const auto keep = [&](const runners::LaunchResult& result) { samples.add_measured(result); };
  runners::HookedRunner runner(workshop_.runner, {{.after_launch = keep}});
  auto result = suspect.screened.rule == Screened::Rule::exact
                    ? confirm_exactly(runner, prepared->task, stop)
                    : confirm_suspect(runner, prepared->task, show, stop);
  if (stop.stop_requested()) return std::nullopt;
  ConfirmationRecord record;
  if (auto* measured = std::get_if<ConfirmationRecord>(&result)) {
    record = std::move(*measured);
  } else {
    record = failed_confirmation(suspect, std::get<RunFailure>(result).what);
    record.minimum_effect = prepared->task.minimum_effect;
  }
  record.control = line.commits[control].id;
  record.treatment = line.commits[treatment].id;
  record.relinked = prepared->fresh && !record.exact;
  if (workshop_.results) {
    const bool slower = is_confirmed(record) && direction_of(suspect) == analysis::Direction::slower;
    TestRun run;
    run.series = samples.kept();
    workshop_.results({*suspect.test, std::move(run), line.commits[control], line.commits[treatment],
                       slower ? TrialResults::Type::regress : TrialResults::Type::verify,
                       suspect.candidate.in_program});
  }
  return record;
}

std::variant<std::optional<double>, RunFailure> Confirmer::unit(const Line& line, std::size_t control,
                                                                std::size_t treatment, const Suspect& suspect,
                                                                std::uint64_t stream,
                                                                const std::stop_token& stop) {
  constexpr std::optional<double> none;
  const auto prepared = prepare(line, control, treatment, suspect, stream, stop);
  if (!prepared) return none;
  std::optional<RunFailure> of_host;
  const auto note = [&](RunFailure failure) {
    const bool refused = prepared->unlinked && prepared->unlinked->kind == RelinkFailure::Kind::not_possible;
    of_host.reset();
    if (failure.reason == RunFailure::Reason::not_started && !refused) of_host = std::move(failure);
  };
  bench_.tell_progress({ScreeningProgress::Phase::confirming, suspect.candidate.in_program, 1, 1},
                       suspect.candidate.name);
  if (suspect.screened.rule == Screened::Rule::exact) {
    const double sign = direction_of(suspect) == analysis::Direction::slower ? 1 : -1;
    auto result = confirm_exactly(workshop_.runner, prepared->task, stop);
    if (stop.stop_requested()) return none;
    if (const auto* record = std::get_if<ConfirmationRecord>(&result)) {
      return record->result.outcome == ConfirmationOutcome::confirmed ? sign : 0;
    }
    note(std::get<RunFailure>(std::move(result)));
    if (of_host) return *std::move(of_host);
    return none;
  }
  for (std::uint64_t attempt = 0; attempt < 2; ++attempt) {
    auto measured = measure_unit(workshop_.runner, prepared->task, attempt, stop);
    if (stop.stop_requested()) return none;
    const auto* value = std::get_if<std::optional<double>>(&measured);
    if (value != nullptr && *value) return *value;
    of_host.reset();
    if (value == nullptr) note(std::get<RunFailure>(std::move(measured)));
  }
  if (of_host) return *std::move(of_host);
  return none;
}

std::vector<double> Confirmer::as_built(const Line& line, std::size_t control, std::size_t treatment,
                                        const Suspect& suspect, std::size_t count,
                                        const std::stop_token& stop) {
  const auto prepared = prepare(line, control, treatment, suspect, 0, stop);
  if (!prepared) return {};
  return launches_as_built(workshop_.runner, prepared->task, count, 0, stop);
}

double Confirmer::bar(const Suspect& suspect, bool fresh) const {
  if (fresh) return analysis::minimum_effect(suspect.margin.value);
  const auto effects = workshop_.store.null_effects(settings_.key, suspect.candidate.name,
                                                    suspect.screened.metric.name, null_commits);
  const double spread = effects.size() >= fewest_null_commits
                            ? analysis::robust_deviation(effects).value_or(0)
                            : assumed_null_spread;
  return analysis::minimum_effect(suspect.margin.value, spread);
}

}  // namespace tandem::daemon
