// What Bench stores without having measured it, and the metrics beside the one that launches are made for.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/records/wording.hpp"
#include "daemon/walk/bench.hpp"
#include "daemon/walk/likeness.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

/// What a program that is slow for longer also has more of: no news beside its time.
bool follows_time(const specs::Metric& metric) {
  return metric.name == "cpu_time";
}

}  // namespace

store::StoredVerdict Bench::bare_verdict(const std::string& commit, const std::string& control,
                                         const Test* test, const Candidate& candidate,
                                         const std::string& outcome, const std::string& note,
                                         const std::string& version) const {
  store::StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = control;
  verdict.benchmark = candidate.name;
  verdict.metric = candidate.metric;
  verdict.outcome = outcome;
  verdict.note = note;
  verdict.at = workshop_.now();
  if (test != nullptr) verdict.definition = definition_of(*test) + "/" + version;
  return verdict;
}

void Bench::save_without_screen(const std::string& commit, const std::string& control, const Test* test,
                                const Candidate& candidate, const std::string& outcome,
                                const std::string& note, const std::string& version) {
  const auto verdict = bare_verdict(commit, control, test, candidate, outcome, note, version);
  workshop_.store.save_step(settings_.key, {verdict, {}});
  tell_verdict(verdict);
}

void Bench::save_beginning(const Line& line, std::size_t position, const Trial& trial) {
  const std::string& commit = line.commits[position].id;
  for (const Candidate& candidate : trial.candidates) {
    const auto before = nearest_before(line, position, candidate.name);
    const bool other =
        before && !same_definition(benchmarks_of(line.commits[*before].id).at(candidate.name).definition,
                                   definition_of(*trial.test) + "/");
    save_without_screen(
        commit, {}, trial.test, candidate, other ? "redefined" : "new",
        other ? "its spec changed; it begins anew with this commit" : "the first commit that has it");
  }
}

void Bench::save_identical(const Line& line, std::size_t position, Trial& trial) {
  const std::string& commit = line.commits[position].id;
  const std::string& control = line.commits[*trial.control].id;
  std::erase_if(trial.candidates, [&](const Candidate& candidate) {
    const auto before = nearest_before(line, position, candidate.name);
    const std::string earlier = before ? line.commits[*before].id : std::string();
    const auto alike = judged_alike(workshop_.store, settings_.key,
                                    {commit, control, earlier, candidate.name, candidate.metric.name});
    if (!alike) return false;
    std::string version;
    if (before) {
      const auto& known = benchmarks_of(earlier);
      const auto found = known.find(candidate.name);
      if (found != known.end()) {
        version = found->second.definition.substr(found->second.definition.find('/') + 1);
      }
    }
    save_without_screen(commit, control, trial.test, candidate, "identical", *alike, version);
    return true;
  });
}

void Bench::save_not_measured(const Line& line, std::size_t position, const Trial& trial,
                              const NotMeasured& reason) {
  // Nothing final is said of what can be measured another time.
  if (reason.lasts == NotMeasured::Lasts::for_now) throw Error(reason.why);
  for (const Candidate& candidate : trial.candidates) {
    store::StoredVerdict verdict = bare_verdict(line.commits[position].id, line.commits[*trial.control].id,
                                                trial.test, candidate, reason.outcome, reason.why);
    workshop_.store.save_step(settings_.key, {verdict, {}});
    // What cannot be measured is said once, not with every commit.
    const auto before = nearest_before(line, position, candidate.name);
    const auto earlier = before ? workshop_.store.verdicts(settings_.key, line.commits[*before].id)
                                : std::vector<store::StoredVerdict>{};
    const bool said = reason.outcome == analysis::name_of(analysis::Outcome::unmeasurable) &&
                      std::any_of(earlier.begin(), earlier.end(), [&](const auto& one) {
                        return one.benchmark == candidate.name && one.metric.name == candidate.metric.name &&
                               one.outcome == reason.outcome;
                      });
    if (!said) tell_verdict(verdict);
  }
}

void Bench::save_verdict(const Line& line, std::size_t position, const Trial& trial, const Measured& measured,
                         const Candidate& candidate, const Screened& screened, const std::string& remark) {
  auto verdict = verdict_of(line.commits[position].id, line.commits[*trial.control].id, *trial.test,
                            candidate, screened, measured.seed);
  verdict.note += remark;
  workshop_.store.save_step(settings_.key, {verdict, {}});
  tell_verdict(verdict);
}

void Bench::judge_further(const Line& line, std::size_t position, const Trial& trial,
                          const Measured& measured, std::vector<Suspect>& suspects,
                          const std::stop_token& stop) {
  for (const Screened& each : measured.screened) {
    const auto of_benchmark = [&](const Candidate& one) { return one.in_program == each.benchmark; };
    const auto owner = std::find_if(trial.candidates.begin(), trial.candidates.end(), of_benchmark);
    const bool is_candidate = std::any_of(
        trial.candidates.begin(), trial.candidates.end(),
        [&](const Candidate& one) { return of_benchmark(one) && one.metric.name == each.metric.name; });
    if (owner == trial.candidates.end() || is_candidate || each.failure || !each.redefined.empty()) continue;
    const Candidate candidate{owner->in_program, owner->name, each.metric};
    const bool told_already =
        follows_time(each.metric) &&
        std::any_of(measured.screened.begin(), measured.screened.end(), [&](const Screened& one) {
          return one.benchmark == each.benchmark && one.metric.name == owner->metric.name &&
                 one.verdict.outcome == each.verdict.outcome;
        });
    // A metric has a level of its own: what was found worse once is not found again with every commit.
    const auto own = control_for(line, position, *trial.test, candidate);
    if (told_already) {
      save_verdict(line, position, trial, measured, candidate, each, "; as its time");
      continue;
    }
    const bool level_is_older = own && *own < *trial.control;
    if (!own || own == trial.control || (!is_changed(each.verdict) && level_is_older)) {
      sort_out(line, position, trial, measured, candidate, each, suspects);
      continue;
    }
    Trial again = trial;
    again.control = own;
    again.candidates = {candidate};
    TrialPlan plan = plan_of_walk(line, position);
    plan.words = "metric " + each.metric.name;
    plan.metric = each.metric.name;
    auto result = measure(line, again, plan, stop);
    if (!result) return;
    if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
      save_not_measured(line, position, again, *reason);
      continue;
    }
    const auto& second = std::get<Measured>(*result);
    for (const Screened& one : second.screened) {
      if (one.benchmark != each.benchmark || one.metric.name != each.metric.name) continue;
      sort_out(line, position, again, second, candidate, one, suspects);
    }
  }
}

void Bench::note_margin(const Candidate& candidate, const analysis::Margin& margin) {
  const auto before = workshop_.store.newest_margin(settings_.key, candidate.name, candidate.metric.name);
  if (!before || margin.value >= *before * (1 - 1e-6)) return;
  workshop_.store.add_event(
      {settings_.key.watch, "margin",
       fmt::format("the margin of {} goes from {} down to {}: {}", candidate.name,
                   report::percentage(*before), report::percentage(margin.value), margin.why),
       workshop_.now()});
}

}  // namespace tandem::daemon
