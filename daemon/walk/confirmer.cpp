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

bool is_confirmed(const std::optional<ConfirmationRecord>& record) {
  return record && record->result.outcome == ConfirmationOutcome::confirmed;
}

bool has_failed(const std::optional<ConfirmationRecord>& record) {
  return record && !record->failure.empty();
}

ConfirmationRecord failed_confirmation(const Suspect& suspect, std::string why) {
  ConfirmationRecord record;
  record.exact = suspect.is_exact();
  record.result.outcome = ConfirmationOutcome::failed;
  // Nothing was measured, so nothing is excluded.
  record.result.ratio = {1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  record.result.next_look = 0;
  record.failure = std::move(why);
  return record;
}

/// A task with what it holds on to: the layouts of the unit that runs.
struct Confirmer::Prepared {
  explicit Prepared(Layouts& all) : layouts(all) {}
  ~Prepared() { layouts.drop(linked); }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  Layouts& layouts;
  ConfirmationTask task;
  bool fresh = false;
  std::vector<Executable> linked;
  std::optional<RelinkFailure> unlinked;  ///< why the last unit has no programs
};

std::unique_ptr<Confirmer::Prepared> Confirmer::prepare(const Examination& at, std::size_t control,
                                                        std::size_t treatment, const Suspect& suspect,
                                                        std::uint64_t stream) {
  const Executable* one = builds_.build(at.commit_at(control), at.stop);
  const Executable* other = one == nullptr ? nullptr : builds_.build(at.commit_at(treatment), at.stop);
  if (other == nullptr || at.stopped()) return nullptr;
  auto prepared = std::make_unique<Prepared>(layouts_);
  ConfirmationTask& task = prepared->task;
  const auto built = pair_of(*suspect.test, *one, *other, settings_.scratch);
  prepared->fresh =
      suspect.is_relinked() && one->layout_unresolved.empty() && other->layout_unresolved.empty();
  task.seed = suspect.seed + (stream << 32);
  if (prepared->fresh) {
    task.as_built = built;
    task.pair = [this, one, other, &suspect, &held = prepared->linked, &unlinked = prepared->unlinked,
                 seed = task.seed,
                 stop = at.stop](std::uint64_t unit) -> std::variant<runners::ProgramPair, std::string> {
      layouts_.drop(held);
      unlinked.reset();
      Random seeds(seed ^ (unit + 1) * 0xd1342543de82ef95);
      for (const Executable* side : {one, other}) {
        auto layout = layouts_.fresh(*side, seeds.next() | builders::first_fresh_layout, stop);
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
  task.suspected = suspect.direction();
  task.statistic =
      suspect.screened.verdict.decided_by_total ? analysis::Statistic::total : analysis::Statistic::median;
  task.minimum_effect = bar(suspect, prepared->fresh);
  task.margin = suspect.margin.value;
  return prepared;
}

std::optional<ConfirmationRecord> Confirmer::confirm(const Examination& at, std::size_t control,
                                                     std::size_t treatment, const Suspect& suspect,
                                                     std::uint64_t stream, double alpha) {
  const auto prepared = prepare(at, control, treatment, suspect, stream);
  if (!prepared) return std::nullopt;
  prepared->task.alpha = alpha;
  const auto show = [&](const ScreeningProgress& progress) {
    log_.show_progress(progress, suspect.candidate.name);
  };
  RunSamples samples;
  const auto keep = [&](const runners::LaunchResult& result) { samples.add_measured(result); };
  runners::HookedRunner runner(context_.runner, {{.after_launch = keep}});
  auto result = suspect.is_exact() ? confirm_exactly(runner, prepared->task, at.stop)
                                   : confirm_suspect(runner, prepared->task, show, at.stop);
  if (at.stopped()) return std::nullopt;
  ConfirmationRecord record;
  if (auto* measured = std::get_if<ConfirmationRecord>(&result)) {
    record = std::move(*measured);
  } else {
    record = failed_confirmation(suspect, std::get<RunFailure>(result).what);
    record.minimum_effect = prepared->task.minimum_effect;
  }
  record.control = at.id_at(control);
  record.treatment = at.id_at(treatment);
  record.relinked = prepared->fresh && !record.exact;
  if (context_.results) {
    const bool slower = is_confirmed(record) && suspect.direction() == analysis::Direction::slower;
    TestRun run;
    run.series = samples.kept();
    context_.results({*suspect.test, std::move(run), at.commit_at(control), at.commit_at(treatment),
                      slower ? TrialResults::Type::regress : TrialResults::Type::verify,
                      suspect.candidate.in_program});
  }
  return record;
}

std::variant<std::optional<double>, RunFailure> Confirmer::unit(const Examination& at, std::size_t control,
                                                                std::size_t treatment, const Suspect& suspect,
                                                                std::uint64_t stream) {
  constexpr std::optional<double> none;
  const auto prepared = prepare(at, control, treatment, suspect, stream);
  if (!prepared) return none;
  std::optional<RunFailure> of_host;
  const auto note = [&](RunFailure failure) {
    const bool refused = prepared->unlinked && prepared->unlinked->kind == RelinkFailure::Kind::not_possible;
    of_host.reset();
    if (failure.reason == RunFailure::Reason::not_started && !refused) of_host = std::move(failure);
  };
  log_.show_progress({ScreeningProgress::Phase::confirming, suspect.candidate.in_program, 1, 1},
                     suspect.candidate.name);
  if (suspect.is_exact()) {
    const double sign = suspect.direction() == analysis::Direction::slower ? 1 : -1;
    auto result = confirm_exactly(context_.runner, prepared->task, at.stop);
    if (at.stopped()) return none;
    if (const auto* record = std::get_if<ConfirmationRecord>(&result)) {
      return record->result.outcome == ConfirmationOutcome::confirmed ? sign : 0;
    }
    note(std::get<RunFailure>(std::move(result)));
    if (of_host) return *std::move(of_host);
    return none;
  }
  for (std::uint64_t attempt = 0; attempt < 2; ++attempt) {
    auto measured = measure_unit(context_.runner, prepared->task, attempt, at.stop);
    if (at.stopped()) return none;
    const auto* value = std::get_if<std::optional<double>>(&measured);
    if (value != nullptr && *value) return *value;
    of_host.reset();
    if (value == nullptr) note(std::get<RunFailure>(std::move(measured)));
  }
  if (of_host) return *std::move(of_host);
  return none;
}

std::vector<double> Confirmer::as_built(const Examination& at, std::size_t control, std::size_t treatment,
                                        const Suspect& suspect, std::size_t count) {
  const auto prepared = prepare(at, control, treatment, suspect, 0);
  if (!prepared) return {};
  return launches_as_built(context_.runner, prepared->task, count, 0, at.stop);
}

double Confirmer::bar(const Suspect& suspect, bool fresh) const {
  if (fresh) return analysis::minimum_effect(suspect.margin.value);
  const auto effects = context_.store.null_effects(settings_.key, suspect.candidate.name,
                                                   suspect.screened.metric.name, null_commits);
  const double spread = effects.size() >= fewest_null_commits
                            ? analysis::robust_deviation(effects).value_or(0)
                            : assumed_null_spread;
  return analysis::minimum_effect(suspect.margin.value, spread);
}

}  // namespace tandem::daemon
