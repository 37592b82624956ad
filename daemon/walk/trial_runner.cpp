#include "daemon/walk/trial_runner.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/measure/blame.hpp"
#include "daemon/records/wording.hpp"
#include "daemon/walk/host_fitness.hpp"
#include "runners/results/result_reader.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::daemon {

using builders::Executable;
using runners::ProgramFacts;
using runners::RunFailure;

namespace {

Relinking relinking_of(const Linkings& control, const Linkings& treatment) {
  const bool all = !control.unresolved && !treatment.unresolved;
  return all || unlinked_for_now(control, treatment) != nullptr ? Relinking::possible
                                                                : Relinking::not_possible;
}

}  // namespace

void TrialRunner::clear() {
  layouts_.clear();
  calibrations_.reset();
}

std::variant<std::vector<Trial>, RunFailure> TrialRunner::list(const Test& test, const Executable& executable,
                                                               const std::stop_token& stop) {
  const auto pair = pair_of(test, executable, executable, settings_.scratch);
  auto looked = context_.runner.inspect(pair, runners::Side::treatment, stop);
  if (auto* failure = std::get_if<RunFailure>(&looked)) return std::move(*failure);
  const auto& facts = std::get<ProgramFacts>(looked);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < facts.benchmarks.size(); ++i) {
    Candidate candidate{facts.benchmarks[i], full_name(test, facts.benchmarks[i]), facts.metrics.at(i)};
    if (trials.empty() || runners::selects_one(pair, facts.protocol)) {
      trials.push_back({&test, facts.protocol, {}, std::nullopt, facts.threads});
    }
    trials.back().candidates.push_back(std::move(candidate));
  }
  return trials;
}

std::optional<std::variant<Measured, NotMeasured>> TrialRunner::measure(const Examination& at,
                                                                        const Trial& trial,
                                                                        const TrialPlan& asked) {
  const Test& test = *trial.test;
  const Executable* control = builds_.build(at.commit_at(trial.control.value()), at.stop);
  const Executable* treatment = at.stopped() ? nullptr : builds_.build(at.commit(), at.stop);
  if (at.stopped()) return std::nullopt;
  if (control == nullptr)
    return NotMeasured{analysis::Outcome::failed, "the control does not build any more"};
  if (treatment == nullptr) return NotMeasured{analysis::Outcome::failed, "it does not build"};
  const std::string& name = trial.candidates.front().name;
  const runners::ProgramPair pair = pair_of(test, *control, *treatment, settings_.scratch);
  const auto looked = plan_of(trial, pair, at.stop);
  if (const auto* failure = std::get_if<RunFailure>(&looked)) {
    if (failure->reason == RunFailure::Reason::stopped) return std::nullopt;
    const runners::Subject subject{trial.protocol, trial.candidates.front().in_program, {}};
    NotMeasured reason{blame(context_.runner, pair, subject, *failure, at.stop), failure->what};
    if (at.stopped()) return std::nullopt;
    return reason;
  }
  const auto& plan = std::get<MeasurementPlan>(looked);
  // What is known of the noise is known of the time.
  const bool of_time = asked.metric.empty();
  if (const auto why = of_time ? unmeasurable(trial, plan, asked.max_launches) : std::nullopt) {
    return NotMeasured{analysis::Outcome::unmeasurable, *why};
  }
  const std::size_t count = layouts_for(at, trial);
  Linkings one = layouts_.of(*control, test, count, at.stop);
  Linkings other = layouts_.of(*treatment, test, count, at.stop);
  if (at.stopped()) return std::nullopt;
  const auto* unlinked = unlinked_for_now(one, other);
  if (unlinked != nullptr && asked.unlinked == TrialPlan::Unlinked::put_off) {
    return NotMeasured{analysis::Outcome::failed, unlinked->sentence, NotMeasured::Lasts::for_now};
  }

  Measured measured;
  measured.layout = describe_layouts(one, other);
  measured.relinking = relinking_of(one, other);
  measured.confirmation = plan.confirmation;
  // Every commit, benchmark and purpose has coins of its own, the same ones when a crash repeats the step.
  measured.seed = seed_of(at.id() + "\n" + name + (asked.purpose.empty() ? "" : "\n" + asked.purpose));
  // One side alone cannot be shuffled: its luck would stand against the mean of the other's.
  if (one.unresolved || other.unresolved) {
    one.layouts = {*control};
    other.layouts = {*treatment};
  }
  ScreeningSettings screening = plan.screening(asked.max_launches, measured.seed);
  screening.margin = margin_of(test, name).value;
  screening.priors.clear();
  screening.goes_on = asked.goes_on;
  screening.metric = asked.metric;
  for (const Candidate& candidate : trial.candidates) {
    const std::string key = series_key(candidate.in_program, candidate.metric);
    screening.margins[key] = margin_of(test, candidate.name).value;
    const auto noise = of_time ? expected_noise(candidate.name, plan) : std::nullopt;
    if (noise) screening.priors[key] = *noise;
  }
  measured.screened = screen(
      context_.runner, draw_layouts(test, std::move(one), std::move(other), settings_.scratch, measured.seed),
      plan.screen, screening, [&](const ScreeningProgress& progress) { log_.show_progress(progress, name); },
      at.stop);
  if (at.stopped()) return std::nullopt;
  if (measured.screened.empty()) {
    return NotMeasured{analysis::Outcome::failed, "its launches gave nothing"};
  }
  return measured;
}

Suspect TrialRunner::suspect_of(const Trial& trial, const Measured& measured, const Candidate& candidate,
                                const Screened& screened) {
  return {trial.test,
          measured.confirmation,
          candidate,
          *trial.control,
          screened,
          measured.seed,
          measured.layout,
          measured.relinking,
          margin_of(*trial.test, candidate.name)};
}

std::optional<Suspect> TrialRunner::as_if_suspect(const Examination& at, const Trial& trial,
                                                  const Record& record) {
  const Executable* control = builds_.build(at.commit_at(trial.control.value()), at.stop);
  const Executable* treatment = at.stopped() ? nullptr : builds_.build(at.commit(), at.stop);
  if (control == nullptr || treatment == nullptr) return std::nullopt;
  const auto looked = plan_of(trial, pair_of(*trial.test, *control, *treatment, settings_.scratch), at.stop);
  const auto* plan = std::get_if<MeasurementPlan>(&looked);
  if (plan == nullptr) return std::nullopt;
  const Candidate& candidate = trial.candidates.front();
  const std::size_t count = layouts_for(at, trial);
  const Linkings one = layouts_.of(*control, *trial.test, count, at.stop);
  const Linkings other = layouts_.of(*treatment, *trial.test, count, at.stop);
  if (at.stopped()) return std::nullopt;
  Suspect suspect;
  suspect.test = trial.test;
  suspect.subject = plan->confirmation;
  suspect.candidate = candidate;
  suspect.control = *trial.control;
  suspect.screened.benchmark = candidate.in_program;
  suspect.screened.metric = candidate.metric;
  suspect.screened.verdict = record.screen;
  suspect.seed = seed_of(at.id() + "\n" + candidate.name + "\nas built");
  suspect.layout = describe_layouts(one, other);
  suspect.relinking = relinking_of(one, other);
  suspect.margin = margin_of(*trial.test, candidate.name);
  return suspect;
}

std::variant<MeasurementPlan, RunFailure> TrialRunner::plan_of(const Trial& trial,
                                                               const runners::ProgramPair& pair,
                                                               const std::stop_token& stop) {
  const Candidate& first = trial.candidates.front();  // benchmarks of one process share their launches
  MeasurementRequest request;
  request.pair = pair;
  request.protocol = trial.protocol;
  request.benchmark = first.in_program;
  request.threads = trial.threads;
  request.cpus = cpus_of(*trial.test, settings_.cpus);
  request.margin = trial.test->margin;
  request.usual_pairing = trial.test->spec.pairing;
  const Calibrations& known = calibrations();
  request.host = known.host;
  if (const auto found = known.by_name.find(first.name); found != known.by_name.end()) {
    request.calibration = found->second;
  }
  auto plan = plan_measurement(context_.runner, request, stop);
  if (const auto* made = std::get_if<MeasurementPlan>(&plan);
      made && trial.protocol == runners::Protocol::slices)
    iteration_seconds_[first.name] = made->facts.iteration_ns * 1e-9;
  return plan;
}

const TrialRunner::Calibrations& TrialRunner::calibrations() {
  if (calibrations_) return *calibrations_;
  Calibrations known;
  if (context_.host) known.host = context_.host();
  for (auto& stored : context_.store.calibrations(settings_.key)) {
    const std::string name = stored.calibration.benchmark;
    known.by_name.emplace(name, std::move(stored.calibration));
  }
  known.host_unfit = host_unfit(context_.store, known.host, context_.now());
  return calibrations_.emplace(std::move(known));
}

const analysis::Calibration* TrialRunner::calibration_of(const std::string& benchmark) {
  const Calibrations& known = calibrations();
  const auto found = known.by_name.find(benchmark);
  const bool holds = found != known.by_name.end() && (known.host.empty() || found->second.host == known.host);
  return holds ? &found->second : nullptr;
}

analysis::Margin TrialRunner::margin_of(const Test& test, const std::string& benchmark) {
  analysis::MarginFacts facts;
  facts.configured = test.margin;
  if (const auto* known = calibration_of(benchmark)) facts.layout_spread = known->layout_spread;
  const auto seconds = iteration_seconds_.find(benchmark);
  if (seconds != iteration_seconds_.end()) facts.seconds_per_iteration = seconds->second;
  analysis::Margin margin = analysis::margin_of(facts);
  if (seconds != iteration_seconds_.end()) return margin;
  // Before it was looked at, how long it takes is known from the margin that it was judged with.
  const auto before = context_.store.newest_margin(settings_.key, benchmark, specs::Metric{}.name);
  if (before && *before > margin.value) margin = {*before, "as in its last screen"};
  return margin;
}

std::string TrialRunner::unfit(const std::string& benchmark) {
  if (!calibrations().host_unfit.empty()) return calibrations().host_unfit;
  const auto* known = calibration_of(benchmark);
  return known != nullptr ? known->unfit : std::string();
}

std::optional<PriorSigma> TrialRunner::expected_noise(const std::string& benchmark,
                                                      const MeasurementPlan& plan) {
  const auto* known = calibration_of(benchmark);
  if (plan.prior && known != nullptr && known->chosen.pairing == plan.screen.shape.pairing) {
    const auto sigma = analysis::expected_sigma(*known);
    return PriorSigma{sigma.median, sigma.total};
  }
  const auto earlier = noise_.find(benchmark);
  return earlier == noise_.end() ? std::nullopt : std::optional(earlier->second);
}

std::optional<std::string> TrialRunner::unmeasurable(const Trial& trial, const MeasurementPlan& plan,
                                                     std::size_t max_launches) {
  std::optional<std::string> why;
  for (const Candidate& candidate : trial.candidates) {
    // Only a calibration has seen enough launches to say so.
    const auto noise = plan.prior ? expected_noise(candidate.name, plan) : std::nullopt;
    if (!noise) return std::nullopt;
    const double sigma = noise->median;
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

std::size_t TrialRunner::layouts_for(const Examination& at, const Trial& trial) {
  if (settings_.layouts < 2) return settings_.layouts;
  const std::string& control = at.id_at(*trial.control);
  for (const Record& record : context_.store.records(
           {settings_.key, trial.candidates.front().name, RecordKind::layout, std::nullopt})) {
    const auto seen = at.line.position(record.treatment.id);
    if (record.control.id == control && seen && at.line.leads_to(*seen, at.position)) {
      return 2 * settings_.layouts;
    }
  }
  return settings_.layouts;
}

}  // namespace tandem::daemon
