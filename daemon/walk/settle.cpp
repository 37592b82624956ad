#include "daemon/walk/settle.hpp"

#include <algorithm>

#include "daemon/records/life.hpp"
#include "daemon/walk/publish.hpp"

namespace tandem::daemon {
namespace {

RecordKind kind_of(const FoundStep& step) {
  if (step.kind == FoundStep::Kind::unconfirmed) return RecordKind::unconfirmed;
  if (step.kind == FoundStep::Kind::accumulated) return RecordKind::accumulated;
  return step.direction == analysis::Direction::slower ? RecordKind::regression : RecordKind::improvement;
}

LayoutFacts layout_of(const Suspect& suspect, const ConfirmationRecord& confirmation) {
  using Resolution = LayoutFacts::Resolution;
  const bool was_made = !confirmation.treatment.empty();
  if (!suspect.is_relinked() || confirmation.exact || !was_made) return suspect.layout;
  if (!confirmation.relinked) {
    return {Resolution::unresolved, "the commits of the confirmation could not be relinked"};
  }
  const bool was_linked = suspect.layout.resolution == Resolution::resolved;
  return {Resolution::resolved, (was_linked ? suspect.layout.words : "none") +
                                    " in the screen, new ones in every unit of the confirmation"};
}

}  // namespace

std::optional<std::vector<Settlement::Finding>> Settlement::attribute(const Examination& at,
                                                                      const Suspect& suspect,
                                                                      std::size_t good,
                                                                      const ConfirmationRecord& whole) {
  CulpritHunt hunt(settings_, context_, builds_, confirmer_);
  const auto steps = hunt.hunt(at, suspect, good, at.position, whole);
  if (!steps) return std::nullopt;
  std::vector<Finding> findings;
  for (const FoundStep& step : *steps) findings.push_back({kind_of(step), step});
  return findings;
}

std::optional<std::vector<Settlement::Finding>> Settlement::find(const Examination& at,
                                                                 const Suspect& suspect) {
  const auto explained = [&](std::size_t control, const ConfirmationRecord& trial) {
    Finding finding;
    if (shipped_layout_alone(trial, suspect.direction())) finding.kind = RecordKind::layout;
    if (!trial.failure.empty()) finding.kind = RecordKind::unconfirmed;
    finding.step.control = control;
    finding.step.culprit = at.position;
    finding.step.confirmation = trial;
    return std::vector<Finding>{finding};
  };
  const std::size_t parent = std::max(
      suspect.control, controls_.nearest_before(at.line, at.position, suspect.candidate.name).value_or(0));
  // A commit that built once may not build any more: then there is no trial with it.
  const bool two_trials = parent != suspect.control;
  const auto near =
      confirmer_.confirm(at, parent, at.position, suspect, 1,
                         two_trials ? analysis::near_trial_alpha : analysis::confirmation_alpha);
  if (at.stopped()) return std::nullopt;
  if (is_confirmed(near)) return attribute(at, suspect, parent, *near);
  if (near && !two_trials) return explained(parent, *near);
  const auto far =
      two_trials ? confirmer_.confirm(at, suspect.control, at.position, suspect, 2, analysis::far_trial_alpha)
                 : std::nullopt;
  if (at.stopped()) return std::nullopt;
  if (is_confirmed(far)) return attribute(at, suspect, suspect.control, *far);
  // The nearer trial might have said yes.
  if (has_failed(near)) return explained(parent, *near);
  return explained(suspect.control,
                   far ? *far : failed_confirmation(suspect, "one of its commits could not be built"));
}

bool Settlement::settle(const Examination& at, const Suspect& suspect) {
  why_unconfirmed_.clear();
  const auto findings = find(at, suspect);
  if (!findings) return false;
  std::vector<Request> requests;
  for (const Finding& finding : *findings) {
    if (finding.kind != RecordKind::unconfirmed) continue;
    why_unconfirmed_ = finding.step.confirmation.failure;
    Request later = confirm_later(at, suspect);
    // One that is known is being tried again right now, or was decided before.
    if (!context_.store.record(later.record)) requests.push_back(std::move(later));
  }
  return write(at, suspect, *findings, requests);
}

Request Settlement::confirm_later(const Examination& at, const Suspect& suspect) const {
  Request request;
  request.kind = Request::Kind::confirm;
  request.key = settings_.key;
  request.commit = at.id();
  request.against = at.id_at(suspect.control);
  request.benchmark = suspect.candidate.name;
  request.record = record_id(settings_.key, suspect.candidate.name, suspect.screened.metric.name, at.id());
  request.by = asked_by_tandem;
  request.origin = Request::Origin::tandem;
  request.at = context_.now();
  return request;
}

bool Settlement::postpone(const Examination& at, const Suspect& suspect) {
  Finding finding;
  finding.kind = RecordKind::postponed;
  finding.step.control = suspect.control;
  finding.step.culprit = at.position;
  finding.step.confirmation.exact = suspect.is_exact();
  return write(at, suspect, {finding}, {confirm_later(at, suspect)});
}

std::optional<std::vector<Settlement::Fix>> Settlement::fixed_by(const Examination& at,
                                                                 const Record& improvement,
                                                                 const std::vector<Record>& series) {
  std::vector<Record> living = series;
  std::erase_if(living, [](const Record& one) { return !is_alive(one.state); });
  const auto facts = context_.facts ? context_.facts(improvement.culprit.id) : builders::CommitFacts{};
  const auto concerned = ended_by(living, improvement, facts);
  if (!concerned) return std::vector<Fix>{};
  const auto position = [&](const std::string& commit) { return at.line.position(commit); };
  const std::size_t treatment = at.line.position(improvement.culprit.id).value();
  std::vector<Record> records = series;
  std::vector<Fix> fixes;
  const auto measured = [&](const Record& regression, const std::string& fixed_by, const Ending& ending) {
    auto fix = fixes_.measure({at.line, treatment, at.stop}, regression, fixed_by);
    if (!fix) return false;
    const bool hidden = is_hidden_by_another(regression, improvement.culprit.id, records, position);
    if (hidden && fix->outcome == FixOutcome::left) fix->outcome = FixOutcome::hidden;
    fixes.push_back({regression.id, *fix, ending});
    for (Record& one : records) {
      if (one.id == regression.id) one = after_fix(one, *fix, ending);
    }
    return true;
  };
  if (!measured(living[concerned->which], improvement.culprit.id, *concerned)) return std::nullopt;
  // What hid the fix of an older one may be gone with this.
  for (const Record& older : std::vector<Record>(records)) {
    const bool waits = is_alive(older.state) && older.fix && older.fix->outcome == FixOutcome::hidden;
    if (!waits || older.id == fixes.front().id) continue;
    if (is_hidden_by_another(older, improvement.culprit.id, records, position)) continue;
    if (!measured(older, older.fix->commit, {0, "a confirmed faster step", older.fix->basis})) {
      return std::nullopt;
    }
  }
  return fixes;
}

bool Settlement::write(const Examination& at, const Suspect& suspect, const std::vector<Finding>& findings,
                       const std::vector<Request>& requests) {
  store::Store::Step step;
  step.requests = requests;
  step.verdict =
      log_.of_screen(at.id(), at.id_at(suspect.control), *suspect.test, suspect.candidate, suspect.screened,
                     trials_.margin_of(*suspect.test, suspect.candidate.name), suspect.seed);
  const auto known =
      context_.store.records({settings_.key, suspect.candidate.name, std::nullopt, std::nullopt});
  std::vector<Record> series = known;
  std::erase_if(series, [&](const Record& one) { return one.metric.name != suspect.candidate.metric.name; });
  for (const Finding& finding : findings) {
    Record record = record_of(at, suspect, finding);
    if (at.stopped()) return false;
    // What was a note may have become more; a step is written once.
    const auto old =
        std::find_if(known.begin(), known.end(), [&](const Record& one) { return one.id == record.id; });
    if (old != known.end()) {
      const bool stands = is_step(old->kind) && old->state != RecordState::superseded;
      if (stands || old->kind == record.kind || record.kind == RecordKind::unconfirmed) continue;
      record.life.insert(record.life.begin(), old->life.begin(), old->life.end());
      record.sightings = old->sightings;
    }
    if (record.kind == RecordKind::improvement) {
      const auto fixes = fixed_by(at, record, series);
      if (!fixes) return false;
      for (const Fix& fix : *fixes) {
        const auto change = [fix](Record one) {
          // A person may have ended it meanwhile.
          return is_alive(one.state) ? after_fix(std::move(one), fix.trial, fix.ending) : one;
        };
        step.changes.push_back(published(context_.publisher, {fix.id, change}));
        for (Record& one : series) {
          if (one.id == fix.id) one = change(one);
        }
      }
    }
    step.records.push_back(std::move(record));
  }
  publish(context_.publisher, step.records);
  if (suspect.origin == Suspect::Origin::screen) {
    context_.store.save_step(settings_.key, step);
    log_.show(step.verdict);
  } else {
    context_.store.save_records(step.records, step.changes, step.requests);
  }
  context_.publisher.saved(step.records);
  return true;
}

Record Settlement::record_of(const Examination& at, const Suspect& suspect, const Finding& finding) const {
  Record record;
  const FoundStep& step = finding.step;
  record.kind = finding.kind;
  const bool lives =
      finding.kind == RecordKind::regression ||
      (finding.kind == RecordKind::accumulated && step.direction == analysis::Direction::slower);
  record.state = lives ? RecordState::open : RecordState::noted;
  record.key = settings_.key;
  record.url = settings_.url;
  record.benchmark = suspect.candidate.name;
  record.metric = suspect.screened.metric;
  record.protocol = suspect.subject.protocol;
  record.margin = suspect.margin.value;
  record.margin_why = suspect.margin.why;
  record.control = at.commit_at(suspect.control);
  record.treatment = at.commit();
  record.culprit = at.commit_at(step.culprit);
  if (context_.facts) record.culprit_patch = context_.facts(record.culprit.id).patch_id;
  record.culprit_probability = step.probability;
  record.co_suspects = step.co_suspects;
  record.search = step.search;
  record.q_value = suspect.q_value;
  record.screen = suspect.screened.verdict;
  record.confirmation = step.confirmation;
  record.ratio = metric_ratio(step.confirmation.result.ratio, record.metric.direction);
  record.confirmation.result.ratio = record.ratio;
  record.layout = layout_of(suspect, step.confirmation);
  record.host = runners::read_machine_facts();
  record.isolation = context_.status.isolation_facts;
  record.id = record_id(record.key, record.benchmark, record.metric.name, record.culprit.id);
  record.incident = record_id(record.key, {}, {}, record.treatment.id);
  record.life.push_back({record.state, context_.now(), "tandem",
                         lives ? "confirmed on fresh launches" : name_of(record.kind), record.culprit.id});
  add_builds(at, suspect, step, record);
  return record;
}

void Settlement::add_builds(const Examination& at, const Suspect& suspect, const FoundStep& step,
                            Record& record) const {
  const auto* control = builds_.build(at.commit_at(step.control), at.stop);
  const auto* culprit = builds_.build(at.commit_at(step.culprit), at.stop);
  if (control == nullptr || culprit == nullptr) return;
  record.control_build = control->key;
  record.treatment_build = culprit->key;
  record.reproduce = {"tandem", "compare", control->program.string(), culprit->program.string()};
  if (suspect.subject.protocol == runners::Protocol::slices) {
    record.reproduce.insert(record.reproduce.end(), {"--filter", suspect.candidate.in_program});
  }
  const auto& command = suspect.test->commands.back();
  if (command.size() > 1 && command.front() == "{program}") {
    record.reproduce.push_back("--");
    record.reproduce.insert(record.reproduce.end(), command.begin() + 1, command.end());
  }
}

}  // namespace tandem::daemon
