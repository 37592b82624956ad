#include "daemon/walk/tribunal.hpp"

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

std::string layout_sentence(const Suspect& suspect, const ConfirmationRecord& confirmation) {
  const bool was_made = !confirmation.treatment.empty();
  if (!is_relinked(suspect) || confirmation.exact || !was_made) return suspect.layout;
  return confirmation.relinked ? suspect.layout + " in the screen, new ones in every unit of the confirmation"
                               : "unresolved: the commits of the confirmation could not be relinked";
}

}  // namespace

std::optional<std::vector<Tribunal::Finding>> Tribunal::find(const Line& line, std::size_t position,
                                                             const Suspect& suspect,
                                                             const std::stop_token& stop) {
  const auto explained = [&](std::size_t control, const ConfirmationRecord& trial) {
    Finding finding;
    if (shipped_layout_alone(trial, direction_of(suspect))) finding.kind = RecordKind::layout;
    if (!trial.failure.empty()) finding.kind = RecordKind::unconfirmed;
    finding.step.control = control;
    finding.step.culprit = position;
    finding.step.confirmation = trial;
    return std::vector<Finding>{finding};
  };
  const auto attributed = [&](std::size_t good,
                              const ConfirmationRecord& whole) -> std::optional<std::vector<Finding>> {
    auto steps = hunt_.hunt(line, suspect, good, position, whole, stop);
    if (!steps) return std::nullopt;
    std::vector<Finding> findings;
    for (const FoundStep& step : *steps) findings.push_back({kind_of(step), step});
    return findings;
  };

  const std::size_t parent =
      std::max(suspect.control, bench_.nearest_before(line, position, suspect.candidate.name).value_or(0));
  // A commit that built once may not build any more: then there is no trial with it.
  const bool two_trials = parent != suspect.control;
  const auto near =
      confirmer_.confirm(line, parent, position, suspect, 1, stop,
                         two_trials ? analysis::near_trial_alpha : analysis::confirmation_alpha);
  if (stop.stop_requested()) return std::nullopt;
  if (is_confirmed(near)) return attributed(parent, *near);
  if (near && !two_trials) return explained(parent, *near);
  const auto far = two_trials ? confirmer_.confirm(line, suspect.control, position, suspect, 2, stop,
                                                   analysis::far_trial_alpha)
                              : std::nullopt;
  if (stop.stop_requested()) return std::nullopt;
  if (is_confirmed(far)) return attributed(suspect.control, *far);
  // The nearer trial might have said yes.
  if (has_failed(near)) return explained(parent, *near);
  return explained(suspect.control,
                   far ? *far : failed_confirmation(suspect, "one of its commits could not be built"));
}

bool Tribunal::settle(const Line& line, std::size_t position, const Suspect& suspect,
                      const std::stop_token& stop) {
  why_unconfirmed_.clear();
  const auto findings = find(line, position, suspect, stop);
  if (!findings) return false;
  std::vector<Request> requests;
  for (const Finding& finding : *findings) {
    if (finding.kind != RecordKind::unconfirmed) continue;
    why_unconfirmed_ = finding.step.confirmation.failure;
    Request later = confirm_later(line, position, suspect);
    // One that is known is being tried again right now, or was decided before.
    if (!workshop_.store.record(later.record)) requests.push_back(std::move(later));
  }
  return write(line, position, suspect, *findings, requests, stop);
}

Request Tribunal::confirm_later(const Line& line, std::size_t position, const Suspect& suspect) const {
  Request request;
  request.kind = Request::Kind::confirm;
  request.key = settings_.key;
  request.commit = line.commits[position].id;
  request.against = line.commits[suspect.control].id;
  request.benchmark = suspect.candidate.name;
  request.record = record_id(settings_.key, suspect.candidate.name, suspect.screened.metric.name,
                             line.commits[position].id);
  request.by = asked_by_tandem;
  request.origin = Request::Origin::tandem;
  request.at = workshop_.now();
  return request;
}

bool Tribunal::postpone(const Line& line, std::size_t position, const Suspect& suspect,
                        const std::stop_token& stop) {
  Finding finding;
  finding.kind = RecordKind::postponed;
  finding.step.control = suspect.control;
  finding.step.culprit = position;
  finding.step.confirmation.exact = suspect.screened.rule == Screened::Rule::exact;
  return write(line, position, suspect, {finding}, {confirm_later(line, position, suspect)}, stop);
}

std::optional<std::vector<Tribunal::Fix>> Tribunal::ended(const Line& line, const Record& improvement,
                                                          const std::vector<Record>& series,
                                                          const std::stop_token& stop) {
  std::vector<Record> living = series;
  std::erase_if(living, [](const Record& one) { return !is_alive(one.state); });
  const auto facts = workshop_.facts ? workshop_.facts(improvement.culprit.id) : builders::CommitFacts{};
  const auto concerned = ended_by(living, improvement, facts);
  if (!concerned) return std::vector<Fix>{};
  const auto position = [&](const std::string& commit) { return line.position(commit); };
  const std::size_t treatment = line.position(improvement.culprit.id).value();
  std::vector<Record> records = series;
  std::vector<Fix> fixes;
  const auto measured = [&](const Record& regression, const std::string& fixed_by, const Ending& ending) {
    auto fix = fixes_.measure(line, treatment, regression, fixed_by, stop);
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

bool Tribunal::write(const Line& line, std::size_t position, const Suspect& suspect,
                     const std::vector<Finding>& findings, const std::vector<Request>& requests,
                     const std::stop_token& stop) {
  const std::string& commit = line.commits[position].id;
  store::Store::Step step;
  step.requests = requests;
  step.verdict = bench_.verdict_of(commit, line.commits[suspect.control].id, *suspect.test, suspect.candidate,
                                   suspect.screened, suspect.seed);
  const auto known =
      workshop_.store.records({settings_.key, suspect.candidate.name, std::nullopt, std::nullopt});
  std::vector<Record> series = known;
  std::erase_if(series, [&](const Record& one) { return one.metric.name != suspect.candidate.metric.name; });
  for (const Finding& finding : findings) {
    Record record = record_of(line, position, suspect, finding, stop);
    if (stop.stop_requested()) return false;
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
      const auto fixes = ended(line, record, series, stop);
      if (!fixes) return false;
      for (const Fix& fix : *fixes) {
        const auto change = [fix](Record one) {
          // A person may have ended it meanwhile.
          return is_alive(one.state) ? after_fix(std::move(one), fix.trial, fix.ending) : one;
        };
        step.changes.push_back(published(workshop_.publisher, {fix.id, change}));
        for (Record& one : series) {
          if (one.id == fix.id) one = change(one);
        }
      }
    }
    step.records.push_back(std::move(record));
  }
  publish(workshop_.publisher, step.records);
  if (suspect.origin == Suspect::Origin::screen) {
    workshop_.store.save_step(settings_.key, step);
    bench_.tell_verdict(step.verdict);
  } else {
    workshop_.store.save_records(step.records, step.changes, step.requests);
  }
  workshop_.publisher.saved(step.records);
  return true;
}

Record Tribunal::record_of(const Line& line, std::size_t position, const Suspect& suspect,
                           const Finding& finding, const std::stop_token& stop) const {
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
  record.control = line.commits[suspect.control];
  record.treatment = line.commits[position];
  record.culprit = line.commits[step.culprit];
  if (workshop_.facts) record.culprit_patch = workshop_.facts(record.culprit.id).patch_id;
  record.culprit_probability = step.probability;
  record.co_suspects = step.co_suspects;
  record.search = step.search;
  record.q_value = suspect.q_value;
  record.screen = suspect.screened.verdict;
  record.confirmation = step.confirmation;
  record.ratio = metric_ratio(step.confirmation.result.ratio, record.metric.direction);
  record.confirmation.result.ratio = record.ratio;
  record.layout = layout_sentence(suspect, step.confirmation);
  record.host = runners::read_machine_facts();
  record.isolation = workshop_.status.isolation_facts;
  record.id = record_id(record.key, record.benchmark, record.metric.name, record.culprit.id);
  record.incident = record_id(record.key, {}, {}, record.treatment.id);
  record.life.push_back({record.state, workshop_.now(), "tandem",
                         lives ? "confirmed on fresh launches" : name_of(record.kind), record.culprit.id});
  add_builds(line, suspect, step, record, stop);
  return record;
}

void Tribunal::add_builds(const Line& line, const Suspect& suspect, const FoundStep& step, Record& record,
                          const std::stop_token& stop) const {
  const auto* control = bench_.build(line.commits[step.control], stop);
  const auto* culprit = bench_.build(line.commits[step.culprit], stop);
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
