#include "daemon/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/likeness.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/report/wording.hpp"
#include "runners/random.hpp"
#include "runners/result_reader.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

using builders::BuildFailure;
using builders::Executable;
using runners::ProgramFacts;
using runners::RunFailure;

constexpr std::size_t verdicts_shown = 20;

}  // namespace

void Bench::clear() {
  executables_.clear();
  layouts_.clear();
  calibrations_.reset();
}

const Executable* Bench::build(const builders::Commit& commit, const std::stop_token& stop) {
  if (const auto known = executables_.find(commit.id); known != executables_.end()) return &known->second;
  workshop_.status.phase = "building";
  workshop_.show();
  auto result = workshop_.builder.build(commit, stop);
  if (auto* executable = std::get_if<Executable>(&result)) {
    store::StoredBuild build;
    build.commit = commit.id;
    build.succeeded = true;
    build.at = workshop_.now();
    build.identity = identity_of(*executable, settings_.tests);
    workshop_.store.save_build(settings_.key, build);
    if (!executable->repaired.empty()) {
      workshop_.store.add_event({settings_.key.watch, "cache", executable->repaired, workshop_.now()});
      workshop_.status.last_error = executable->repaired;
      workshop_.status.last_error_at = workshop_.now();
    }
    return &executables_.emplace(commit.id, std::move(*executable)).first->second;
  }
  const auto& failure = std::get<BuildFailure>(result);
  if (failure.kind == BuildFailure::Kind::stopped) return nullptr;
  // Neither is the commit's doing: it is built again when the ground is sound.
  if (builders::may_pass_later(failure.kind)) {
    throw Error(failure.sentence);
  }
  store::StoredBuild build;
  build.commit = commit.id;
  build.kind = builders::name_of(failure.kind);
  build.sentence = failure.sentence;
  build.log = failure.log.string();
  build.at = workshop_.now();
  build.last_lines = failure.last_lines;
  workshop_.store.save_build(settings_.key, build);
  auto& shown = workshop_.status.failed_builds;
  shown.insert(shown.begin(),
               {settings_.key.platform, commit.id, build.kind, build.sentence, build.log, build.last_lines});
  shown.resize(std::min(shown.size(), verdicts_shown));
  workshop_.show();
  return nullptr;
}

std::vector<Trial> Bench::trials(const Line& line, std::size_t position, const Executable& treatment,
                                 const std::stop_token& stop) {
  const std::string& commit = line.commits[position].id;
  std::set<std::pair<std::string, std::string>> judged;  // benchmark and metric
  for (const auto& verdict : workshop_.store.verdicts(settings_.key, commit))
    judged.insert({verdict.benchmark, verdict.metric.name});
  std::vector<Trial> trials;
  for (const Test& test : settings_.tests) {
    workshop_.status.phase = "measuring";
    workshop_.show();
    if (const auto unknown = unknown_placeholder(test, treatment)) {
      const std::string name = program_name(test);
      save_without_screen(commit, {}, {name, name, {}}, "failed", *unknown);
      continue;
    }
    const auto pair = pair_of(test, treatment, treatment, settings_.scratch);
    auto looked = workshop_.runner.inspect(pair, runners::Side::treatment, stop);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      if (failure->reason == RunFailure::Reason::stopped) return {};
      save_failed_start(line, position, treatment, test, *failure, stop);
      continue;
    }
    const auto& facts = std::get<ProgramFacts>(looked);
    std::map<std::optional<std::size_t>, Trial> by_control;
    for (std::size_t i = 0; i < facts.benchmarks.size(); ++i) {
      const Candidate candidate{facts.benchmarks[i], full_name(test, facts.benchmarks[i]),
                                facts.metrics.at(i)};
      if (judged.contains({candidate.name, candidate.metric.name})) continue;
      const auto control = control_for(line, position, candidate);
      if (runners::selects_one(pair, facts.protocol)) {
        trials.push_back({&test, facts.protocol, {candidate}, control, facts.threads});
      } else {
        by_control.try_emplace(control, Trial{&test, facts.protocol, {}, control, facts.threads})
            .first->second.candidates.push_back(candidate);
      }
    }
    for (auto& [control, trial] : by_control) trials.push_back(std::move(trial));
  }
  return trials;
}

std::vector<Suspect> Bench::judge(const Line& line, std::size_t position, const Executable& treatment,
                                  Trial trial, const std::stop_token& stop) {
  const std::string& commit = line.commits[position].id;
  const auto save_all = [&](const std::string& control, const std::string& outcome, const std::string& note) {
    for (const Candidate& candidate : trial.candidates) {
      save_without_screen(commit, control, candidate, outcome, note);
    }
    return std::vector<Suspect>{};
  };
  if (!trial.control) return save_all({}, "new", "the first commit that has it");
  const std::string& control_id = line.commits[*trial.control].id;
  const Executable* control = build(line.commits[*trial.control], stop);
  if (stop.stop_requested()) return {};
  if (control == nullptr) return save_all(control_id, "failed", "the control does not build any more");
  std::erase_if(trial.candidates, [&](const Candidate& candidate) {
    const auto before = nearest_before(line, position, candidate.name);
    const auto alike = judged_alike(workshop_.store, settings_.key,
                                    {commit, control_id, before ? line.commits[*before].id : std::string(),
                                     candidate.name, candidate.metric.name});
    if (alike) save_without_screen(commit, control_id, candidate, "identical", *alike);
    return alike.has_value();
  });
  if (trial.candidates.empty()) return {};
  const std::string& name = trial.candidates.front().name;

  runners::Subject subject{trial.protocol, trial.candidates.front().in_program, {}};
  runners::BenchmarkFacts facts;
  facts.threads = trial.threads;
  const runners::ProgramPair pair = pair_of(*trial.test, *control, treatment, settings_.scratch);
  if (trial.protocol == runners::Protocol::slices) {
    auto looked = workshop_.runner.look_at(pair, subject.benchmark, stop);
    if (const auto* failure = std::get_if<RunFailure>(&looked)) {
      if (failure->reason == RunFailure::Reason::stopped) return {};
      const std::string outcome = failure_name(pair, subject, *failure, stop);
      if (stop.stop_requested()) return {};
      return save_all(control_id, outcome, failure->what);
    }
    facts = std::get<runners::BenchmarkFacts>(looked);
  }
  const Arranged arranged = arrange(trial, facts);
  subject.shape = shape_of(trial.protocol, facts, arranged.screen);
  Linkings one = layouts_.of(*control, *trial.test, stop);
  Linkings other = layouts_.of(treatment, *trial.test, stop);
  if (stop.stop_requested()) return {};
  const std::string layout = describe_layouts(one, other);
  // One side alone cannot be shuffled: its luck would stand against the mean of the other's.
  if (!one.unresolved.empty() || !other.unresolved.empty()) {
    one.layouts = {*control};
    other.layouts = {treatment};
  }
  ScreeningSettings screening;
  screening.margin = trial.test->margin;
  screening.max_launches = settings_.max_launches;
  // Every commit and benchmark has coins of its own, the same ones when a crash repeats the step.
  screening.seed = runners::seed_of(commit + "\n" + name);
  for (const Candidate& candidate : trial.candidates) {
    if (const auto prior = prior_of(candidate.name, arranged)) {
      screening.priors[series_key(candidate.in_program, candidate.metric)] = *prior;
    }
  }
  auto all = screen(
      workshop_.runner,
      draw_layouts(*trial.test, std::move(one), std::move(other), settings_.scratch, screening.seed), subject,
      screening, [&](const ScreeningProgress& progress) { tell_progress(progress, name); }, stop);
  if (stop.stop_requested()) return {};

  std::vector<Suspect> suspects;
  for (const Candidate& candidate : trial.candidates) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Screened& each) {
      return each.benchmark == candidate.in_program && each.metric.name == candidate.metric.name;
    });
    if (found == all.end()) {
      const bool failed = !all.empty() && all.front().failure;
      save_without_screen(commit, control_id, candidate,
                          failed ? analysis::name_of(all.front().verdict.outcome) : "failed",
                          failed ? all.front().failure->what : "it was not printed side by side");
      continue;
    }
    if (found->prior) priors_[candidate.name] = *found->prior;
    const bool changed = found->verdict.outcome == analysis::Outcome::slower ||
                         found->verdict.outcome == analysis::Outcome::faster;
    const bool confirmed = changed && settings_.records == PipelineSettings::Records::confirm;
    const std::string unsound = confirmed ? unfit(candidate.name) : std::string();
    if (confirmed && unsound.empty()) {
      subject.shape = shape_of(trial.protocol, facts, arranged.confirmation);
      suspects.push_back(
          {trial.test, subject, candidate, *trial.control, std::move(*found), screening.seed, layout});
      continue;
    }
    auto verdict = verdict_of(commit, control_id, candidate, *found, screening.seed);
    if (!unsound.empty()) verdict.note += "; not recorded: " + unsound;
    workshop_.store.save_step(settings_.key, {verdict, {}, std::nullopt});
    tell_verdict(verdict);
  }
  for (const Screened& each : all) save_further_metric(commit, control_id, trial, each, screening.seed);
  return suspects;
}

void Bench::save_further_metric(const std::string& commit, const std::string& control, const Trial& trial,
                                const Screened& screened, std::uint64_t seed) {
  const Candidate* owner = nullptr;
  for (const Candidate& candidate : trial.candidates) {
    if (candidate.in_program != screened.benchmark) continue;
    if (candidate.metric.name == screened.metric.name) return;
    owner = &candidate;
  }
  if (owner == nullptr || screened.failure) return;
  const auto verdict =
      verdict_of(commit, control, {owner->in_program, owner->name, screened.metric}, screened, seed);
  workshop_.store.save_step(settings_.key, {verdict, {}, std::nullopt});
  tell_verdict(verdict);
}

void Bench::save_without_screen(const std::string& commit, const std::string& control,
                                const Candidate& candidate, const std::string& outcome,
                                const std::string& note) {
  store::StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = control;
  verdict.benchmark = candidate.name;
  verdict.metric = candidate.metric;
  verdict.outcome = outcome;
  verdict.note = note;
  verdict.at = workshop_.now();
  workshop_.store.save_step(settings_.key, {verdict, {}, std::nullopt});
  tell_verdict(verdict);
}

store::StoredVerdict Bench::verdict_of(const std::string& commit, const std::string& control,
                                       const Candidate& candidate, const Screened& screened,
                                       std::uint64_t seed) const {
  store::StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = control;
  verdict.benchmark = candidate.name;
  verdict.metric = screened.metric;
  verdict.outcome = analysis::name_of(screened.verdict.outcome);
  verdict.note = report::verdict_sentence(screened);
  verdict.verdict = screened.verdict;
  verdict.history = screened.history;
  verdict.seed = seed;
  verdict.at = workshop_.now();
  return verdict;
}

void Bench::tell_verdict(const store::StoredVerdict& verdict) const {
  Status& status = workshop_.status;
  status.last_verdicts.insert(
      status.last_verdicts.begin(),
      {settings_.key.platform, verdict.commit, report::series_name(verdict.benchmark, verdict.metric),
       verdict.outcome, verdict.note});
  status.last_verdicts.resize(std::min(status.last_verdicts.size(), verdicts_shown));
  // Of the metrics beside the time only those of observers, whose names hold them, are measured for their own
  // sake.
  if (verdict.verdict.launches > 0 &&
      report::series_name(verdict.benchmark, verdict.metric) == verdict.benchmark) {
    Status::Noise& noise = status.noise_floor[verdict.benchmark];
    noise.sigma = verdict.verdict.sigma;
    noise.minimum_detectable_effect = verdict.verdict.minimum_detectable_effect;
  }
  workshop_.show();
}

void Bench::tell_progress(const ScreeningProgress& progress, const std::string& name) const {
  Status& status = workshop_.status;
  status.phase = progress.phase == ScreeningProgress::Phase::confirming ? "confirming" : "measuring";
  status.benchmark = name;
  status.launch = progress.launch;
  status.most_launches = progress.most;
  workshop_.show();
}

}  // namespace tandem::daemon
