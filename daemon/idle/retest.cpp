#include "daemon/idle/retest.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/records/life.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {
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
