#include "daemon/idle/retesting.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/records/life.hpp"
#include "daemon/walk/fix_trial.hpp"
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

/// Where the confirmation's control was rewritten, the nearest commit before the culprit stands for it.
std::optional<std::size_t> control_of_retest(const IdleGround& ground, const Line& line,
                                             const Record& record) {
  if (const auto known = line.position(record.confirmation.control)) return known;
  const auto culprit = line.position(record.culprit.id);
  return culprit ? ground.bench.nearest_before(line, *culprit, record.benchmark) : std::nullopt;
}

std::optional<DueRetest> trial_of_retest(const Record& record, const NewestGood& newest,
                                         std::size_t control) {
  for (const Trial& trial : newest.trials) {
    for (const Candidate& candidate : trial.candidates) {
      if (candidate.name != record.benchmark) continue;
      const bool first = candidate.metric.name == record.metric.name;
      return DueRetest{record,
                       narrowed(trial, control, {{candidate.in_program, candidate.name, record.metric}}),
                       first ? std::string() : record.metric.name};
    }
  }
  return std::nullopt;
}

std::optional<DueRetest> next_due(const IdleGround& ground, const Line& line, const NewestGood& newest) {
  for (const Record& record : ground.workshop.store.living(ground.settings.key)) {
    // What only the shipped layout has is looked at in that layout, elsewhere.
    if (record.kind == RecordKind::layout || !is_retest_due(record, ground.workshop.now())) continue;
    // The pair that was confirmed says nothing new.
    if (newest.commit == record.confirmation.treatment) continue;
    if (newest.left_alone.contains(left_alone_key(retest_work, record.benchmark))) continue;
    if (!ground.bench.unfit(record.benchmark).empty()) continue;
    const auto control = control_of_retest(ground, line, record);
    if (!control || !line.leads_to(*control, newest.position)) continue;
    if (auto due = trial_of_retest(record, newest, *control)) return due;
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

void keep(const IdleGround& ground, const DueRetest& due, const Retest& found) {
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
  ground.workshop.store.save_records({}, {published(ground.workshop.publisher, {due.record.id, change})},
                                     requests);
}

}  // namespace

std::optional<IdleStep> measure_fix(const IdleGround& ground, const Line& line, const std::stop_token& stop) {
  const std::int64_t now = ground.workshop.now();
  for (const Record& record : ground.workshop.store.living(ground.settings.key)) {
    const auto treatment = is_fix_due(record, now) ? line.position(record.fix->commit) : std::nullopt;
    if (!treatment) continue;
    tell_work(ground, fmt::format("measuring what is left of {} of {}", record.id, record.benchmark));
    FixTrials trials(ground.settings, ground.workshop, ground.bench);
    auto fix = trials.measure(line, *treatment, record, record.fix->commit, stop);
    if (!fix) return IdleStep::stopped;
    const auto series =
        ground.workshop.store.records({ground.settings.key, record.benchmark, std::nullopt, std::nullopt});
    const auto position = [&](const std::string& commit) { return line.position(commit); };
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
    ground.workshop.store.save_records({}, {published(ground.workshop.publisher, {record.id, change})});
    return IdleStep::made;
  }
  return std::nullopt;
}

IdleStep retest(const IdleGround& ground, const Line& line, NewestGood& newest, const std::stop_token& stop) {
  if (const auto measured = measure_fix(ground, line, stop)) return *measured;
  const auto due = next_due(ground, line, newest);
  if (!due) return IdleStep::nothing;
  const Candidate& candidate = due->trial.candidates.front();
  tell_work(ground, fmt::format("re-testing {} of {}", due->record.id, due->record.benchmark));
  TrialPlan plan;
  plan.treatment = newest.position;
  plan.words = fmt::format("retest {} {}", due->record.id, due->record.retests.size());
  plan.max_launches = ground.settings.max_launches;
  plan.metric = due->metric;
  const auto result = ground.bench.measure(line, due->trial, plan, stop);
  if (!result) return IdleStep::stopped;
  if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
    leave_alone(ground, newest, retest_work, due->trial, reason->why);
    return IdleStep::made;
  }
  const Screened* screened = screened_of(std::get<Measured>(*result), candidate);
  if (screened == nullptr || screened->failure) {
    leave_alone(ground, newest, retest_work, due->trial,
                screened == nullptr ? "it was not printed side by side" : screened->failure->what);
    return IdleStep::made;
  }
  if (!screened->redefined.empty()) {
    leave_alone(ground, newest, retest_work, due->trial, screened->redefined);
    return IdleStep::made;
  }
  keep(ground, *due,
       {ground.workshop.now(), line.commits[*due->trial.control].id, newest.commit,
        analysis::name_of(screened->verdict.outcome), screened->verdict.ratio});
  return IdleStep::made;
}

}  // namespace tandem::daemon
