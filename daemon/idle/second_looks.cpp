#include "daemon/idle/second_looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "daemon/records/life.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {
namespace {

constexpr const char* continued_work = "continued screen";

using Verdicts = std::vector<store::StoredVerdict>;

const store::StoredVerdict* verdict_on(const Verdicts& verdicts, const Candidate& candidate) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& one) {
    return one.benchmark == candidate.name && one.metric.name == candidate.metric.name;
  });
  return found == verdicts.end() ? nullptr : &*found;
}

/// What is to be measured together: benchmarks of one trial that were inconclusive against one control.
struct Continuation {
  Trial trial;
  TrialPlan plan;
};

class ContinuedScreens {
 public:
  ContinuedScreens(WalkSteps& steps, const Examination& at, NewestGood& newest)
      : steps_(steps),
        at_(at),
        newest_(newest),
        verdicts_(steps.context.store.verdicts(steps.settings.key, newest.commit)) {}

  std::optional<Continuation> next() {
    for (const Trial& trial : newest_.trials) {
      std::map<std::size_t, std::vector<Candidate>> by_control;
      for (const Candidate& candidate : trial.candidates) {
        if (const auto control = control_of(candidate)) by_control[*control].push_back(candidate);
      }
      if (by_control.empty()) continue;
      auto& [control, wanted] = *by_control.begin();
      return continuation(narrowed(trial, control, std::move(wanted)));
    }
    return std::nullopt;
  }

  IdleStep settle(const Trial& trial, const Measured& measured) {
    for (const Candidate& candidate : trial.candidates) {
      const Screened* screened = measured.of(candidate);
      if (screened == nullptr || screened->failure) {
        leave_alone(steps_, newest_, continued_work, narrowed(trial, *trial.control, {candidate}),
                    screened == nullptr ? "it was not printed side by side" : screened->failure->what);
        continue;
      }
      if (!keep(trial, measured, candidate, *screened)) return IdleStep::stopped;
    }
    return IdleStep::made;
  }

 private:
  /// Of one that is to be continued.
  [[nodiscard]] std::optional<std::size_t> control_of(const Candidate& candidate) const {
    const auto* verdict = verdict_on(verdicts_, candidate);
    if (verdict == nullptr || verdict->outcome != analysis::Outcome::inconclusive) return std::nullopt;
    if (newest_.left_alone.contains(left_alone_key(continued_work, candidate.name))) return std::nullopt;
    if (verdict->history.launches.size() >= most_continuations * steps_.settings.max_launches) {
      return std::nullopt;
    }
    const auto control = at_.line.position(verdict->control);
    return control && at_.line.leads_to(*control, at_.position) ? control : std::nullopt;
  }

  Continuation continuation(Trial trial) const {
    Continuation one{std::move(trial), {steps_.settings.max_launches}};
    std::size_t made = 0;
    for (const Candidate& candidate : one.trial.candidates) {
      const auto& history = verdict_on(verdicts_, candidate)->history;
      const double margin = steps_.trials.margin_of(*one.trial.test, candidate.name).value;
      // Launches that were judged with another margin have to be made anew.
      if (std::abs(history.settings.margin - margin) > 1e-9) continue;
      made = std::max(made, history.launches.size());
      one.plan.goes_on[series_key(candidate.in_program, candidate.metric)] = history;
    }
    const std::size_t screens = steps_.settings.max_launches;
    one.plan.max_launches = std::min(made + screens, most_continuations * screens);
    return one;
  }

  /// False: stopped.
  bool keep(const Trial& trial, const Measured& measured, const Candidate& candidate,
            const Screened& screened) {
    const bool confirmed =
        is_changed(screened.verdict) && steps_.settings.records == WalkSettings::Records::confirm;
    const std::string unfit = confirmed ? steps_.trials.unfit(candidate.name) : std::string();
    if (confirmed && unfit.empty()) {
      const Suspect suspect = steps_.trials.suspect_of(trial, measured, candidate, screened);
      return steps_.settlement.settle(at_, suspect);
    }
    const auto* before = verdict_on(verdicts_, candidate);
    if (before != nullptr && screened.history.launches.size() <= before->history.launches.size()) {
      newest_.left_alone.insert(
          left_alone_key(continued_work, candidate.name));  // more of the same leads nowhere
    }
    auto verdict =
        steps_.log.of_screen(newest_.commit, at_.id_at(*trial.control), *trial.test, candidate, screened,
                             steps_.trials.margin_of(*trial.test, candidate.name), measured.seed);
    if (!unfit.empty()) verdict.note += "; not recorded: " + unfit;
    steps_.log.save(verdict);
    return true;
  }

  WalkSteps& steps_;
  const Examination& at_;
  NewestGood& newest_;
  Verdicts verdicts_;
};

}  // namespace

IdleStep continue_screen(WalkSteps& steps, const Examination& at, NewestGood& newest) {
  ContinuedScreens screens(steps, at, newest);
  const auto next = screens.next();
  if (!next) return IdleStep::nothing;
  tell_work(steps,
            fmt::format("more launches of {}, which was inconclusive", next->trial.candidates.front().name));
  const auto result = steps.trials.measure(at, next->trial, next->plan);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(steps, newest, continued_work, next->trial, reason->why);
    return IdleStep::made;
  }
  return screens.settle(next->trial, std::get<Measured>(*result));
}

namespace {

constexpr const char* retest_work = "re-test";

/// A record that is due, with the trial that looks at it again.
struct DueRetest {
  Record record;
  Trial trial;
  std::string metric = {};  ///< of the plan
};

std::optional<DueRetest> next_due(WalkSteps& steps, const Examination& at, const NewestGood& newest) {
  for (const Record& record : steps.context.store.living(steps.settings.key)) {
    // What only the shipped layout has is looked at in that layout, elsewhere.
    if (record.kind == RecordKind::layout || !is_retest_due(record, steps.context.now())) continue;
    // The pair that was confirmed says nothing new.
    if (newest.commit == record.confirmation.treatment) continue;
    if (newest.left_alone.contains(left_alone_key(retest_work, record.benchmark))) continue;
    if (!steps.trials.unfit(record.benchmark).empty()) continue;
    const auto control = steps.settlement.fixes().control_of(at.line, record);
    if (!control || !at.line.leads_to(*control, at.position)) continue;
    auto trial = find_trial(newest.trials, record.benchmark, *control);
    if (!trial) continue;
    const bool first = trial->candidates.front().metric.name == record.metric.name;
    trial->candidates.front().metric = record.metric;
    return DueRetest{record, std::move(*trial), first ? std::string() : record.metric.name};
  }
  return std::nullopt;
}

/// For the commit that made the regression go away.
Request search_for(const Record& record, const Retest& found) {
  Request request;
  request.kind = Request::Kind::bisect;
  request.key = record.key;
  request.against = record.culprit.id;
  request.commit = found.treatment;
  request.benchmark = record.benchmark;
  request.record = record.id;
  request.by = asked_by_tandem;
  request.origin = Request::Origin::tandem;
  request.at = found.at;
  return request;
}

void keep(const WalkSteps& steps, const DueRetest& due, const Retest& found) {
  std::vector<Request> requests;
  const auto change = [&](Record record) {
    record.retests.push_back(found);
    // A person may have dismissed it meanwhile: then it has ended, and nothing comes of it.
    const auto event = after_retests(record, found.at);
    if (!event) return record;
    record = with_event(std::move(record), *event);
    requests.push_back(search_for(record, found));
    return record;
  };
  steps.context.store.save_records({}, {published(steps.context.publisher, {due.record.id, change})},
                                   requests);
}

}  // namespace

std::optional<IdleStep> measure_fix(WalkSteps& steps, const Examination& at) {
  const std::int64_t now = steps.context.now();
  for (const Record& record : steps.context.store.living(steps.settings.key)) {
    const auto treatment = is_fix_due(record, now) ? at.line.position(record.fix->commit) : std::nullopt;
    if (!treatment) continue;
    tell_work(steps, fmt::format("measuring what is left of {} of {}", record.id, record.benchmark));
    auto fix = steps.settlement.fixes().measure({at.line, *treatment, at.stop}, record, record.fix->commit);
    if (!fix) return IdleStep::stopped;
    const auto series =
        steps.context.store.records({steps.settings.key, record.benchmark, std::nullopt, std::nullopt});
    const auto position = [&](const std::string& commit) { return at.line.position(commit); };
    const bool hidden = is_hidden_by_another(record, fix->commit, series, position);
    if (hidden && fix->outcome == FixOutcome::left) fix->outcome = FixOutcome::hidden;
    const auto change = [&](Record one) {
      // A person may have dismissed it meanwhile.
      if (!is_alive(one.state)) return one;
      const Ending::Basis basis = record.fix->basis;
      const char* reason =
          basis == Ending::Basis::named ? "its commit was reverted" : "a confirmed faster step";
      return after_fix(std::move(one), *fix, {0, reason, basis});
    };
    steps.context.store.save_records({}, {published(steps.context.publisher, {record.id, change})});
    return IdleStep::made;
  }
  return std::nullopt;
}

IdleStep retest(WalkSteps& steps, const Examination& at, NewestGood& newest) {
  if (const auto measured = measure_fix(steps, at)) return *measured;
  const auto due = next_due(steps, at, newest);
  if (!due) return IdleStep::nothing;
  const Candidate& candidate = due->trial.candidates.front();
  tell_work(steps, fmt::format("re-testing {} of {}", due->record.id, due->record.benchmark));
  TrialPlan plan;
  plan.purpose = fmt::format("retest {} {}", due->record.id, due->record.retests.size());
  plan.max_launches = steps.settings.max_launches;
  plan.metric = due->metric;
  const auto result = steps.trials.measure(at, due->trial, plan);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(steps, newest, retest_work, due->trial, reason->why);
    return IdleStep::made;
  }
  const Screened* screened = std::get<Measured>(*result).of(candidate);
  if (screened == nullptr || screened->failure) {
    leave_alone(steps, newest, retest_work, due->trial,
                screened == nullptr ? "it was not printed side by side" : screened->failure->what);
    return IdleStep::made;
  }
  if (!screened->redefined.empty()) {
    leave_alone(steps, newest, retest_work, due->trial, screened->redefined);
    return IdleStep::made;
  }
  keep(steps, *due,
       {steps.context.now(), at.id_at(*due->trial.control), newest.commit, screened->verdict.outcome,
        screened->verdict.ratio});
  return IdleStep::made;
}

}  // namespace tandem::daemon
