#include "daemon/walk/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/records/wording.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/walk/likeness.hpp"
#include "runners/results/result_reader.hpp"
#include "specs/foundation/error.hpp"

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
  unbuilt_.clear();
  held_back_.clear();
  layouts_.clear();
  calibrations_.reset();
  constexpr std::size_t commits_remembered = 500;
  if (benchmarks_.size() > commits_remembered) benchmarks_.clear();
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
  // None of these is the commit's doing: it is built again when the ground is sound, or after a while.
  if (builders::is_of_host(failure.kind)) throw HostError(failure.sentence);
  if (builders::may_pass_later(failure.kind)) {
    unbuilt_.insert_or_assign(commit.id, failure);
    return nullptr;
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

std::optional<BuildFailure> Bench::unbuilt(const std::string& commit) const {
  const auto found = unbuilt_.find(commit);
  return found == unbuilt_.end() ? std::nullopt : std::optional(found->second);
}

std::variant<std::vector<Trial>, RunFailure> Bench::listed(const Test& test, const Executable& executable,
                                                           const std::stop_token& stop) {
  const auto pair = pair_of(test, executable, executable, settings_.scratch);
  auto looked = workshop_.runner.inspect(pair, runners::Side::treatment, stop);
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
      save_without_screen(commit, {}, nullptr, {name, name, {}}, "failed", *unknown);
      continue;
    }
    auto found = listed(test, treatment, stop);
    if (const auto* failure = std::get_if<RunFailure>(&found)) {
      if (failure->reason == RunFailure::Reason::stopped) return {};
      save_failed_start(line, position, treatment, test, *failure, stop);
      continue;
    }
    // Benchmarks that share their launches share their control too.
    for (const Trial& trial : std::get<std::vector<Trial>>(found)) {
      std::map<std::optional<std::size_t>, Trial> by_control;
      for (const Candidate& candidate : trial.candidates) {
        if (judged.contains({candidate.name, candidate.metric.name})) continue;
        const auto control = control_for(line, position, test, candidate);
        by_control.try_emplace(control, Trial{&test, trial.protocol, {}, control, trial.threads})
            .first->second.candidates.push_back(candidate);
      }
      for (auto& [control, one] : by_control) trials.push_back(std::move(one));
    }
  }
  return trials;
}

std::vector<Suspect> Bench::judge(const Line& line, std::size_t position, const Trial& whole,
                                  const std::stop_token& stop) {
  if (!whole.control) {
    save_beginning(line, position, whole);
    return {};
  }
  Trial trial = whole;
  // Also so that what does not build any more is known before anything is compared.
  const Executable* control = build(line.commits[*trial.control], stop);
  if (stop.stop_requested()) return {};
  // Nothing is known of this commit before its control can be had again.
  if (const auto failure = unbuilt(line.commits[*trial.control].id)) throw Error(failure->sentence);
  if (control != nullptr) save_identical(line, position, trial);
  if (trial.candidates.empty()) return {};
  auto result = measure(line, trial, plan_of_walk(line, position), stop);
  if (!result) return {};
  for (const Candidate& one : trial.candidates) note_margin(one, margin_of(*trial.test, one.name));
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    save_not_measured(line, position, trial, *reason);
    return {};
  }
  const auto& measured = std::get<Measured>(*result);
  if (workshop_.results) {
    TestRun run;
    run.series = kept_of(measured.screened);
    run.screened = measured.screened;
    if (const auto& failure = measured.screened.front().failure) run.failure = failure->what;
    workshop_.results({*trial.test, std::move(run), line.commits[*trial.control], line.commits[position]});
  }
  // The verdicts of the candidates themselves come last: with them a benchmark counts as judged.
  std::vector<Suspect> suspects;
  judge_further(line, position, trial, measured, suspects, stop);
  if (stop.stop_requested()) return {};
  for (const Candidate& candidate : trial.candidates) {
    const auto found =
        std::find_if(measured.screened.begin(), measured.screened.end(), [&](const Screened& each) {
          return each.benchmark == candidate.in_program && each.metric.name == candidate.metric.name;
        });
    if (found == measured.screened.end()) {
      const auto& first = measured.screened.front();
      const bool failed = first.failure.has_value();
      save_without_screen(line.commits[position].id, line.commits[*trial.control].id, trial.test, candidate,
                          failed ? analysis::name_of(first.verdict.outcome) : "failed",
                          failed ? first.failure->what : "it was not printed side by side");
      continue;
    }
    if (found->prior) priors_[candidate.name] = *found->prior;
    const bool others_wait = std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& one) {
      return one.candidate.name == candidate.name;
    });
    if (!is_changed(found->verdict) && found->redefined.empty() && others_wait) {
      held_back_.push_back(verdict_of(line.commits[position].id, line.commits[*trial.control].id, *trial.test,
                                      candidate, *found, measured.seed));
      continue;
    }
    sort_out(line, position, trial, measured, candidate, *found, suspects);
  }
  return suspects;
}

void Bench::save_held_back() {
  for (const store::StoredVerdict& verdict : held_back_) {
    workshop_.store.save_step(settings_.key, {verdict, {}});
    tell_verdict(verdict);
  }
  held_back_.clear();
}

Suspect Bench::suspect_of(const Trial& trial, const Measured& measured, const Candidate& candidate,
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

void Bench::sort_out(const Line& line, std::size_t position, const Trial& trial, const Measured& measured,
                     const Candidate& candidate, const Screened& screened, std::vector<Suspect>& suspects) {
  const std::string& commit = line.commits[position].id;
  const std::string& control = line.commits[*trial.control].id;
  if (!screened.redefined.empty()) {
    save_without_screen(commit, control, trial.test, candidate, "redefined", screened.redefined,
                        screened.version);
    return;
  }
  const bool confirmed =
      is_changed(screened.verdict) && settings_.records == PipelineSettings::Records::confirm;
  const std::string unsound = confirmed ? unfit(candidate.name) : std::string();
  if (confirmed && unsound.empty()) {
    suspects.push_back(suspect_of(trial, measured, candidate, screened));
    return;
  }
  save_verdict(line, position, trial, measured, candidate, screened,
               unsound.empty() ? "" : "; not recorded: " + unsound);
}

store::StoredVerdict Bench::verdict_of(const std::string& commit, const std::string& control,
                                       const Test& test, const Candidate& candidate, const Screened& screened,
                                       std::uint64_t seed) {
  store::StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = control;
  verdict.benchmark = candidate.name;
  verdict.metric = screened.metric;
  verdict.outcome = analysis::name_of(screened.verdict.outcome);
  verdict.note = report::verdict_sentence(screened);
  const analysis::Margin margin = margin_of(test, candidate.name);
  if (margin.value > test.margin && screened.rule == Screened::Rule::evidence) {
    verdict.note += fmt::format("; margin {}: {}", report::percentage(margin.value), margin.why);
  }
  verdict.verdict = screened.verdict;
  verdict.history = screened.history;
  verdict.seed = seed;
  verdict.at = workshop_.now();
  verdict.definition = definition_of(test) + "/" + screened.version;
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
