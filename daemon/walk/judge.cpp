#include "daemon/walk/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "daemon/measure/blame.hpp"
#include "daemon/walk/identical.hpp"
#include "daemon/walk/late_commits.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using analysis::Outcome;
using builders::Executable;
using runners::RunFailure;

/// Whether it speaks of a whole program: only then was there no control to fail beside.
bool is_of_program(const store::StoredVerdict& verdict) {
  return verdict.outcome == Outcome::failed && verdict.control.empty();
}

/// What a program that is slow for longer also has more of: no news beside its time.
bool follows_time(const specs::Metric& metric) {
  return metric.name == "cpu_time";
}

}  // namespace

std::vector<Trial> Judge::trials_of(const Examination& at, const Executable& treatment) {
  std::set<std::pair<std::string, std::string>> judged;  // benchmark and metric
  for (const auto& verdict : context_.store.verdicts(settings_.key, at.id()))
    judged.insert({verdict.benchmark, verdict.metric.name});
  std::vector<Trial> trials;
  for (const Test& test : settings_.tests) {
    context_.status.phase = "measuring";
    context_.show();
    if (const auto unknown = unknown_placeholder(test, treatment)) {
      const std::string name = program_name(test);
      log_.save(log_.without_screen(at.id(), {}, nullptr, {name, name, {}}, Outcome::failed, *unknown));
      continue;
    }
    auto found = trials_.list(test, treatment, at.stop);
    if (const auto* failure = std::get_if<RunFailure>(&found)) {
      if (failure->reason == RunFailure::Reason::stopped) return {};
      save_failed_start(at, treatment, test, *failure);
      continue;
    }
    // Benchmarks that share their launches share their control too.
    for (const Trial& trial : std::get<std::vector<Trial>>(found)) {
      std::map<std::optional<std::size_t>, Trial> by_control;
      for (const Candidate& candidate : trial.candidates) {
        if (judged.contains({candidate.name, candidate.metric.name})) continue;
        const auto control = controls_.control_for(at.line, at.position, test, candidate);
        by_control.try_emplace(control, Trial{&test, trial.protocol, {}, control, trial.threads})
            .first->second.candidates.push_back(candidate);
      }
      for (auto& [control, one] : by_control) trials.push_back(std::move(one));
    }
  }
  return trials;
}

std::vector<Suspect> Judge::judge(const Examination& at, const Trial& whole) {
  if (!whole.control) {
    save_beginning(at, whole);
    return {};
  }
  Trial trial = whole;
  const std::string& control = at.id_at(*trial.control);
  // Also so that what does not build any more is known before anything is compared.
  const bool builds = builds_.build(at.commit_at(*trial.control), at.stop) != nullptr;
  if (at.stopped()) return {};
  // Nothing is known of this commit before its control can be had again.
  if (const auto failure = builds_.unbuilt(control)) throw Error(failure->sentence);
  if (builds) save_identical(at, trial);
  if (trial.candidates.empty()) return {};
  const auto result = trials_.measure(at, trial, plan_of_walk(at));
  if (!result) return {};
  for (const Candidate& one : trial.candidates) {
    log_.note_margin(one, trials_.margin_of(*trial.test, one.name));
  }
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    save_not_measured(at, trial, *reason);
    return {};
  }
  const auto& measured = std::get<Measured>(*result);
  report_results(at, trial, measured);
  // The verdicts of the candidates themselves come last: with them a benchmark counts as judged.
  std::vector<Suspect> suspects;
  judge_further(at, trial, measured, suspects);
  if (at.stopped()) return {};
  for (const Candidate& candidate : trial.candidates) {
    const Screened* found = measured.of(candidate);
    if (found == nullptr) {
      const auto& first = measured.screened.front();
      log_.save(log_.without_screen(at.id(), control, trial.test, candidate,
                                    first.failure ? first.verdict.outcome : Outcome::failed,
                                    first.failure ? first.failure->what : "it was not printed side by side"));
      continue;
    }
    if (found->prior) trials_.remember_noise(candidate.name, *found->prior);
    const bool others_wait = std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& one) {
      return one.candidate.name == candidate.name;
    });
    if (!is_changed(found->verdict) && found->redefined.empty() && others_wait) {
      log_.hold_back(verdict_of(at, trial, measured, candidate, *found));
      continue;
    }
    sort_out(at, trial, measured, candidate, *found, suspects);
  }
  return suspects;
}

TrialPlan Judge::plan_of_walk(const Examination& at) const {
  TrialPlan plan;
  plan.max_launches = settings_.max_launches;
  // With its last try a commit is not given up for want of layouts: those of a confirmation may be had.
  const auto waiting = context_.store.waiting_commits(settings_.key);
  const bool last = std::any_of(waiting.begin(), waiting.end(), [&](const store::WaitingCommit& one) {
    return one.commit == at.id() && one.tries + 1 >= most_tries;
  });
  if (last) plan.unlinked = TrialPlan::Unlinked::measured_as_built;
  return plan;
}

void Judge::report_results(const Examination& at, const Trial& trial, const Measured& measured) const {
  if (!context_.results) return;
  TestRun run;
  run.series = kept_of(measured.screened);
  run.screened = measured.screened;
  if (const auto& failure = measured.screened.front().failure) run.failure = failure->what;
  context_.results({*trial.test, std::move(run), at.commit_at(*trial.control), at.commit()});
}

void Judge::sort_out(const Examination& at, const Trial& trial, const Measured& measured,
                     const Candidate& candidate, const Screened& screened, std::vector<Suspect>& suspects) {
  if (!screened.redefined.empty()) {
    auto verdict = log_.without_screen(at.id(), at.id_at(*trial.control), trial.test, candidate,
                                       Outcome::redefined, screened.redefined);
    verdict.definition.version = screened.version;
    log_.save(verdict);
    return;
  }
  const bool confirmed = is_changed(screened.verdict) && settings_.records == WalkSettings::Records::confirm;
  const std::string unfit = confirmed ? trials_.unfit(candidate.name) : std::string();
  if (confirmed && unfit.empty()) {
    suspects.push_back(trials_.suspect_of(trial, measured, candidate, screened));
    return;
  }
  auto verdict = verdict_of(at, trial, measured, candidate, screened);
  if (!unfit.empty()) verdict.note += "; not recorded: " + unfit;
  log_.save(verdict);
}

store::StoredVerdict Judge::verdict_of(const Examination& at, const Trial& trial, const Measured& measured,
                                       const Candidate& candidate, const Screened& screened) {
  return log_.of_screen(at.id(), at.id_at(*trial.control), *trial.test, candidate, screened,
                        trials_.margin_of(*trial.test, candidate.name), measured.seed);
}

void Judge::judge_further(const Examination& at, const Trial& trial, const Measured& measured,
                          std::vector<Suspect>& suspects) {
  for (const Screened& each : measured.screened) {
    const auto of_benchmark = [&](const Candidate& one) { return one.in_program == each.benchmark; };
    const auto owner = std::find_if(trial.candidates.begin(), trial.candidates.end(), of_benchmark);
    const bool is_candidate = std::any_of(
        trial.candidates.begin(), trial.candidates.end(),
        [&](const Candidate& one) { return of_benchmark(one) && one.metric.name == each.metric.name; });
    if (owner == trial.candidates.end() || is_candidate || each.failure || !each.redefined.empty()) continue;
    const Candidate candidate{owner->in_program, owner->name, each.metric};
    const Screened* time = measured.of(*owner);
    if (follows_time(each.metric) && time != nullptr && time->verdict.outcome == each.verdict.outcome) {
      auto verdict = verdict_of(at, trial, measured, candidate, each);
      verdict.note += "; as its time";
      log_.save(verdict);
      continue;
    }
    // A metric has a level of its own: what was found worse once is not found again with every commit.
    const auto own = controls_.control_for(at.line, at.position, *trial.test, candidate);
    const bool level_is_older = own && *own < *trial.control;
    if (!own || own == trial.control || (!is_changed(each.verdict) && level_is_older)) {
      sort_out(at, trial, measured, candidate, each, suspects);
      continue;
    }
    const Trial again = narrowed(trial, *own, {candidate});
    TrialPlan plan = plan_of_walk(at);
    plan.purpose = "metric " + each.metric.name;
    plan.metric = each.metric.name;
    const auto result = trials_.measure(at, again, plan);
    if (!result) return;
    if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
      save_not_measured(at, again, *reason);
      continue;
    }
    const auto& second = std::get<Measured>(*result);
    if (const Screened* one = second.of(candidate)) sort_out(at, again, second, candidate, *one, suspects);
  }
}

void Judge::save_failed_start(const Examination& at, const Executable& treatment, const Test& test,
                              const RunFailure& failure) {
  const std::string name = program_name(test);
  const std::string prefix = full_name(test, "");
  // What the program would have listed is known from the commit before.
  std::vector<Trial> known;
  const auto parent = at.line.position(at.commit().first_parent);
  for (const auto& before : parent ? context_.store.verdicts(settings_.key, at.id_at(*parent))
                                   : std::vector<store::StoredVerdict>{}) {
    if (!before.benchmark.starts_with(prefix) || before.outcome == Outcome::missing) continue;
    const Candidate candidate{before.benchmark.substr(prefix.size()), before.benchmark, before.metric};
    if (const auto control = controls_.control_for(at.line, at.position, test, candidate)) {
      known.push_back({&test, {}, {candidate}, control, 1});
    }
  }
  Outcome outcome = Outcome::failed;
  if (!known.empty()) {
    const Executable* control = builds_.build(at.commit_at(*known.front().control), at.stop);
    if (at.stopped()) return;
    if (control != nullptr) {
      RunFailure of_treatment = failure;  // only that side was looked at
      of_treatment.side = runners::Side::treatment;
      outcome = blame(context_.runner, pair_of(test, *control, treatment, settings_.scratch), {},
                      of_treatment, at.stop);
    }
  }
  if (at.stopped()) return;
  if (outcome == Outcome::failed) {
    log_.save(log_.without_screen(at.id(), {}, nullptr, {name, name, {}}, outcome, failure.what));
    return;
  }
  for (const Trial& trial : known) {
    log_.save(log_.without_screen(at.id(), at.id_at(*trial.control), &test, trial.candidates.front(), outcome,
                                  failure.what));
  }
}

void Judge::save_beginning(const Examination& at, const Trial& trial) {
  for (const Candidate& candidate : trial.candidates) {
    const auto before = controls_.nearest_before(at.line, at.position, candidate.name);
    const auto earlier = before ? controls_.definition_at(at.id_at(*before), candidate.name) : std::nullopt;
    const bool other = earlier && !same_definition(*earlier, definition_of(*trial.test));
    log_.save(log_.without_screen(
        at.id(), {}, trial.test, candidate, other ? Outcome::redefined : Outcome::added,
        other ? "its spec changed; it begins anew with this commit" : "the first commit that has it"));
  }
}

void Judge::save_identical(const Examination& at, Trial& trial) {
  const std::string& control = at.id_at(*trial.control);
  std::erase_if(trial.candidates, [&](const Candidate& candidate) {
    const auto before = controls_.nearest_before(at.line, at.position, candidate.name);
    const std::string earlier = before ? at.id_at(*before) : std::string();
    const auto same = same_as_judged(context_.store, settings_.key,
                                     {at.id(), control, earlier, candidate.name, candidate.metric.name});
    if (!same) return false;
    auto verdict = log_.without_screen(at.id(), control, trial.test, candidate, Outcome::identical, *same);
    const auto known = before ? controls_.definition_at(earlier, candidate.name) : std::nullopt;
    if (known) verdict.definition.version = known->version;
    log_.save(verdict);
    return true;
  });
}

void Judge::save_not_measured(const Examination& at, const Trial& trial, const NotMeasured& reason) {
  // Nothing final is said of what can be measured another time.
  if (reason.lasts == NotMeasured::Lasts::for_now) throw Error(reason.why);
  for (const Candidate& candidate : trial.candidates) {
    const auto verdict = log_.without_screen(at.id(), at.id_at(*trial.control), trial.test, candidate,
                                             reason.outcome, reason.why);
    context_.store.save_step(settings_.key, {verdict, {}});
    // What cannot be measured is said once, not with every commit.
    const auto before = controls_.nearest_before(at.line, at.position, candidate.name);
    const auto earlier = before ? context_.store.verdicts(settings_.key, at.id_at(*before))
                                : std::vector<store::StoredVerdict>{};
    const bool said = reason.outcome == Outcome::unmeasurable &&
                      std::any_of(earlier.begin(), earlier.end(), [&](const auto& one) {
                        return one.benchmark == candidate.name && one.metric.name == candidate.metric.name &&
                               one.outcome == reason.outcome;
                      });
    if (!said) log_.show(verdict);
  }
}

void Judge::note_missing(const Examination& at) {
  std::set<std::string> here;
  std::set<std::string> silent;
  for (const auto& verdict : context_.store.verdicts(settings_.key, at.id())) {
    (is_of_program(verdict) ? silent : here).insert(verdict.benchmark);
  }
  // A program that listed nothing has lost nothing.
  const auto unknown = [&](const std::string& name) {
    return std::any_of(settings_.tests.begin(), settings_.tests.end(), [&](const Test& test) {
      return silent.contains(program_name(test)) && name.starts_with(full_name(test, ""));
    });
  };
  for (std::size_t before = at.position; before > 0; --before) {
    if (!at.line.leads_to(before - 1, at.position)) continue;
    const std::string& earlier = at.id_at(before - 1);
    bool listed = false;
    for (const auto& verdict : context_.store.verdicts(settings_.key, earlier)) {
      const std::string& name = verdict.benchmark;
      // One that failed was there to fail, and what was missing already is known to be.
      if (is_of_program(verdict)) continue;
      listed = true;
      if (verdict.outcome == Outcome::missing || here.contains(name) || unknown(name)) continue;
      log_.save(log_.without_screen(at.id(), earlier, nullptr, {name, name, verdict.metric}, Outcome::missing,
                                    "the commit before still had it"));
    }
    if (listed) return;
  }
}

}  // namespace tandem::daemon
