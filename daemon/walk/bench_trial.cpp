// How Bench makes one trial: builds, looks, chooses layouts and launches, and stores nothing.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/records/wording.hpp"
#include "daemon/walk/bench.hpp"
#include "daemon/walk/late_commits.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::daemon {

using builders::Executable;
using runners::RunFailure;

namespace {

Relinking relinking_of(const Linkings& control, const Linkings& treatment) {
  const bool all = !control.unresolved && !treatment.unresolved;
  return all || unlinked_for_now(control, treatment) != nullptr ? Relinking::possible
                                                                : Relinking::not_possible;
}

}  // namespace

TrialPlan Bench::plan_of_walk(const Line& line, std::size_t position) const {
  TrialPlan plan;
  plan.treatment = position;
  plan.max_launches = settings_.max_launches;
  // With its last try a commit is not given up for want of layouts: those of a confirmation may be had.
  const auto waiting = workshop_.store.waiting_commits(settings_.key);
  const bool last = std::any_of(waiting.begin(), waiting.end(), [&](const store::WaitingCommit& one) {
    return one.commit == line.commits[position].id && one.tries + 1 >= most_tries;
  });
  if (last) plan.unlinked = TrialPlan::Unlinked::measured_as_built;
  return plan;
}

std::variant<runners::BenchmarkFacts, RunFailure> Bench::look(const Trial& trial,
                                                              const runners::ProgramPair& pair,
                                                              const std::stop_token& stop) {
  runners::BenchmarkFacts facts;
  facts.threads = trial.threads;
  if (trial.protocol != runners::Protocol::slices) return facts;
  auto looked = workshop_.runner.look_at(pair, trial.candidates.front().in_program, stop);
  if (const auto* seen = std::get_if<runners::BenchmarkFacts>(&looked)) {
    iteration_seconds_[trial.candidates.front().name] = seen->iteration_ns * 1e-9;
  }
  return looked;
}

std::optional<std::variant<Measured, NotMeasured>> Bench::measure(const Line& line, const Trial& trial,
                                                                  const TrialPlan& plan,
                                                                  const std::stop_token& stop) {
  const builders::Commit& commit = line.commits.at(plan.treatment);
  const Executable* control = build(line.commits.at(trial.control.value()), stop);
  const Executable* treatment = stop.stop_requested() ? nullptr : build(commit, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (control == nullptr) return NotMeasured{"failed", "the control does not build any more"};
  if (treatment == nullptr) return NotMeasured{"failed", "it does not build"};
  const std::string& name = trial.candidates.front().name;
  const runners::ProgramPair pair = pair_of(*trial.test, *control, *treatment, settings_.scratch);
  runners::Subject subject{trial.protocol, trial.candidates.front().in_program, {}};
  const auto looked = look(trial, pair, stop);
  if (const auto* failure = std::get_if<RunFailure>(&looked)) {
    if (failure->reason == RunFailure::Reason::stopped) return std::nullopt;
    NotMeasured reason{failure_name(pair, subject, *failure, stop), failure->what};
    if (stop.stop_requested()) return std::nullopt;
    return reason;
  }
  const auto& facts = std::get<runners::BenchmarkFacts>(looked);
  const Arranged arranged = arrange(trial, facts);
  // What is known of the noise is known of the time.
  const bool of_time = plan.metric.empty();
  if (const auto why = of_time ? unmeasurable(trial, arranged, plan.max_launches) : std::nullopt) {
    return NotMeasured{analysis::name_of(analysis::Outcome::unmeasurable), *why};
  }
  subject.shape = shape_of(trial.protocol, facts, arranged.screen);
  const std::size_t count = layouts_for(line, trial, plan.treatment);
  Linkings one = layouts_.of(*control, *trial.test, count, stop);
  Linkings other = layouts_.of(*treatment, *trial.test, count, stop);
  if (stop.stop_requested()) return std::nullopt;
  const auto* unlinked = unlinked_for_now(one, other);
  if (unlinked != nullptr && plan.unlinked == TrialPlan::Unlinked::put_off) {
    return NotMeasured{"failed", unlinked->sentence, NotMeasured::Lasts::for_now};
  }

  Measured measured;
  measured.layout = describe_layouts(one, other);
  measured.relinking = relinking_of(one, other);
  measured.confirmation = subject;
  measured.confirmation.shape = shape_of(trial.protocol, facts, arranged.confirmation);
  // Every commit, benchmark and purpose has coins of its own, the same ones when a crash repeats the step.
  measured.seed = seed_of(commit.id + "\n" + name + (plan.words.empty() ? "" : "\n" + plan.words));
  // One side alone cannot be shuffled: its luck would stand against the mean of the other's.
  if (one.unresolved || other.unresolved) {
    one.layouts = {*control};
    other.layouts = {*treatment};
  }
  ScreeningSettings screening;
  screening.margin = margin_of(*trial.test, name).value;
  screening.max_launches = plan.max_launches;
  screening.seed = measured.seed;
  screening.goes_on = plan.goes_on;
  screening.metric = plan.metric;
  for (const Candidate& candidate : trial.candidates) {
    const std::string key = series_key(candidate.in_program, candidate.metric);
    screening.margins[key] = margin_of(*trial.test, candidate.name).value;
    const auto prior = of_time ? prior_of(candidate.name, arranged) : std::nullopt;
    if (prior) screening.priors[key] = *prior;
  }
  measured.screened = screen(
      workshop_.runner,
      draw_layouts(*trial.test, std::move(one), std::move(other), settings_.scratch, measured.seed), subject,
      screening, [&](const ScreeningProgress& progress) { tell_progress(progress, name); }, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (measured.screened.empty()) return NotMeasured{"failed", "its launches gave nothing"};
  return measured;
}

std::optional<Suspect> Bench::as_if_suspect(const Line& line, std::size_t position, const Trial& trial,
                                            const Candidate& candidate, const Record& record,
                                            const std::stop_token& stop) {
  const Executable* control = build(line.commits.at(trial.control.value()), stop);
  const Executable* treatment = stop.stop_requested() ? nullptr : build(line.commits.at(position), stop);
  if (control == nullptr || treatment == nullptr) return std::nullopt;
  Trial alone = trial;
  alone.candidates = {candidate};
  const auto looked = look(alone, pair_of(*trial.test, *control, *treatment, settings_.scratch), stop);
  const auto* facts = std::get_if<runners::BenchmarkFacts>(&looked);
  if (facts == nullptr) return std::nullopt;
  Suspect suspect;
  suspect.test = trial.test;
  suspect.subject = {trial.protocol, candidate.in_program,
                     shape_of(trial.protocol, *facts, arrange(alone, *facts).confirmation)};
  suspect.candidate = candidate;
  suspect.control = *trial.control;
  suspect.screened.benchmark = candidate.in_program;
  suspect.screened.metric = candidate.metric;
  suspect.screened.verdict = record.screen;
  suspect.seed = seed_of(line.commits[position].id + "\n" + candidate.name + "\nas built");
  const std::size_t count = layouts_for(line, trial, position);
  const Linkings one = layouts_.of(*control, *trial.test, count, stop);
  const Linkings other = layouts_.of(*treatment, *trial.test, count, stop);
  if (stop.stop_requested()) return std::nullopt;
  suspect.layout = describe_layouts(one, other);
  suspect.relinking = relinking_of(one, other);
  suspect.margin = margin_of(*trial.test, candidate.name);
  return suspect;
}

std::optional<std::string> Bench::unmeasurable(const Trial& trial, const Arranged& arranged,
                                               std::size_t max_launches) {
  std::optional<std::string> why;
  for (const Candidate& candidate : trial.candidates) {
    // Only a calibration has seen enough launches to say so.
    const auto prior = arranged.prior ? prior_of(candidate.name, arranged) : std::nullopt;
    if (!prior) return std::nullopt;
    const double sigma = prior->median;
    const double margin = margin_of(*trial.test, candidate.name).value;
    if (!analysis::is_unmeasurable(sigma, margin, max_launches)) return std::nullopt;
    if (why) continue;
    why = fmt::format(
        "one launch scatters by {}, so that {} launches would only show a change of {}, more than twice the "
        "margin of {}",
        report::percentage(sigma), max_launches,
        report::percentage(analysis::minimum_detectable_effect(sigma, margin, max_launches)),
        report::percentage(margin));
  }
  return why;
}

std::size_t Bench::layouts_for(const Line& line, const Trial& trial, std::size_t treatment) {
  if (settings_.layouts < 2) return settings_.layouts;
  const std::string& control = line.commits[*trial.control].id;
  for (const Record& record : workshop_.store.records(
           {settings_.key, trial.candidates.front().name, RecordKind::layout, std::nullopt})) {
    const auto at = line.position(record.treatment.id);
    if (record.control.id == control && at && line.leads_to(*at, treatment)) return 2 * settings_.layouts;
  }
  return settings_.layouts;
}

const Screened* screened_of(const Measured& measured, const Candidate& candidate) {
  const auto found =
      std::find_if(measured.screened.begin(), measured.screened.end(), [&](const Screened& one) {
        return one.benchmark == candidate.in_program && one.metric.name == candidate.metric.name;
      });
  return found == measured.screened.end() ? nullptr : &*found;
}

Trial narrowed(const Trial& trial, std::size_t control, std::vector<Candidate> wanted) {
  Trial one = trial;
  one.control = control;
  one.candidates = std::move(wanted);
  return one;
}

}  // namespace tandem::daemon
