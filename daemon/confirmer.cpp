#include "daemon/confirmer.hpp"

#include <limits>

#include "analysis/statistics.hpp"
#include "builders/cache_budget.hpp"
#include "runners/random.hpp"

namespace tandem::daemon {
namespace {

using analysis::ConfirmationOutcome;
using builders::Executable;

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
  return !suspect.layout.starts_with("unresolved");
}

bool is_confirmed(const std::optional<ConfirmationRecord>& record) {
  return record && record->result.outcome == ConfirmationOutcome::confirmed;
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
    task.pair = [this, one, other, &suspect, &held = prepared->linked, seed = task.seed,
                 stop](std::uint64_t unit) -> std::variant<runners::ProgramPair, std::string> {
      bench_.layouts().drop(held);
      runners::Random seeds(seed ^ (unit + 1) * 0xd1342543de82ef95);
      auto control_layout = bench_.layouts().fresh(*one, seeds.next() | builders::first_fresh_layout, stop);
      if (auto* why = std::get_if<std::string>(&control_layout)) return std::move(*why);
      held.push_back(std::get<Executable>(std::move(control_layout)));
      auto treatment_layout =
          bench_.layouts().fresh(*other, seeds.next() | builders::first_fresh_layout, stop);
      if (auto* why = std::get_if<std::string>(&treatment_layout)) return std::move(*why);
      held.push_back(std::get<Executable>(std::move(treatment_layout)));
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
  harness::RunSamples samples;
  harness::KeepingRunner runner(workshop_.runner, samples, harness::KeepingRunner::Which::all);
  auto result = suspect.screened.rule == Screened::Rule::exact
                    ? confirm_exactly(runner, prepared->task, stop)
                    : confirm_suspect(runner, prepared->task, show, stop);
  if (stop.stop_requested()) return std::nullopt;
  ConfirmationRecord record;
  if (auto* measured = std::get_if<ConfirmationRecord>(&result)) {
    record = std::move(*measured);
  } else {
    record.minimum_effect = prepared->task.minimum_effect;
    record.result.outcome = ConfirmationOutcome::failed;
    record.failure = std::get<runners::RunFailure>(result).what;
    record.result.ratio = {1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
    record.result.next_look = 0;
  }
  record.control = line.commits[control].id;
  record.treatment = line.commits[treatment].id;
  record.relinked = prepared->fresh && !record.exact;
  if (workshop_.results) {
    const bool slower = is_confirmed(record) && direction_of(suspect) == analysis::Direction::slower;
    harness::TestRun run;
    run.series = samples.kept();
    workshop_.results({*suspect.test, std::move(run), line.commits[control], line.commits[treatment],
                       slower ? TrialResults::Type::regress : TrialResults::Type::verify,
                       suspect.candidate.in_program});
  }
  return record;
}

std::optional<double> Confirmer::unit(const Line& line, std::size_t control, std::size_t treatment,
                                      const Suspect& suspect, std::uint64_t stream,
                                      const std::stop_token& stop) {
  const auto prepared = prepare(line, control, treatment, suspect, stream, stop);
  if (!prepared) return std::nullopt;
  bench_.tell_progress({ScreeningProgress::Phase::confirming, suspect.candidate.in_program, 1, 1},
                       suspect.candidate.name);
  if (suspect.screened.rule == Screened::Rule::exact) {
    const double sign = direction_of(suspect) == analysis::Direction::slower ? 1 : -1;
    auto result = confirm_exactly(workshop_.runner, prepared->task, stop);
    const auto* record = std::get_if<ConfirmationRecord>(&result);
    if (record == nullptr || stop.stop_requested()) return std::nullopt;
    return record->result.outcome == ConfirmationOutcome::confirmed ? sign : 0;
  }
  for (std::uint64_t attempt = 0; attempt < 2; ++attempt) {
    auto measured = measure_unit(workshop_.runner, prepared->task, attempt, stop);
    if (stop.stop_requested()) return std::nullopt;
    const auto* value = std::get_if<std::optional<double>>(&measured);
    if (value != nullptr && *value) return **value;
  }
  return std::nullopt;
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
