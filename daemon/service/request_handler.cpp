#include "daemon/service/request_handler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/records/life.hpp"
#include "daemon/records/wording.hpp"
#include "daemon/report/comparison_report.hpp"
#include "daemon/walk/late_commits.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

using analysis::Outcome;

Answer failed(std::string why) {
  return {Request::State::failed, 4, std::move(why)};
}

builders::Commit commit_named(const builders::Repository& repository, const std::string& name) {
  if (auto commit = repository.find(name)) return std::move(*commit);
  throw InputError(
      fmt::format("there is no commit {}; give a hash, a tag or a branch that was fetched", name));
}

/// Two commits with what lies between them, if the first leads to the second along first parents.
Line line_between(const builders::Repository& repository, const builders::Commit& good,
                  const builders::Commit& bad) {
  std::vector<builders::Commit> commits = {good};
  auto after = repository.first_parents(bad.id, good.id);
  if (after) commits.insert(commits.end(), after->begin(), after->end());
  if (commits.back().id != bad.id) commits.push_back(bad);
  return make_line(std::move(commits), now_seconds());
}

double size_of(const Suspect& suspect) {
  return std::abs(std::log(suspect.screened.verdict.ratio.estimate));
}

/// "5.1 % slower since 1a2b3c4d "subject" (…)".
std::string step_sentence(const Line& line, const Suspect& suspect, const FoundStep& step) {
  if (step.kind == FoundStep::Kind::unconfirmed) {
    return fmt::format("{}: what changed between {} and {} could not be found: {}", suspect.candidate.name,
                       report::short_commit(line.commits[step.control].id),
                       report::short_commit(line.commits[step.culprit].id), step.confirmation.failure);
  }
  const auto ratio = metric_ratio(step.confirmation.result.ratio, suspect.screened.metric.direction);
  const std::string change = report::change_phrase(suspect.screened.metric, ratio.estimate);
  const std::string effort = fmt::format("{} measurements among {} commits", step.search.measurements,
                                         std::max<std::size_t>(1, step.search.commits));
  if (step.kind == FoundStep::Kind::accumulated) {
    return fmt::format("{}: {} between {} and {}, by no single commit ({})", suspect.candidate.name, change,
                       report::short_commit(line.commits[step.control].id),
                       report::short_commit(line.commits[step.culprit].id), effort);
  }
  std::string text = fmt::format("{}: {} since {} \"{}\" (probability {}, {})", suspect.candidate.name,
                                 change, line.commits[step.culprit].id, line.commits[step.culprit].subject,
                                 report::percentage(step.probability), effort);
  for (const std::string& other : step.co_suspects) text += " or " + report::short_commit(other);
  return text;
}

int code_of(bool slower, bool failed, bool inconclusive) {
  return slower ? 1 : failed ? 4 : inconclusive ? 3 : 0;
}

}  // namespace

std::optional<Answer> RequestHandler::serve(const Request& request, const builders::Repository& repository,
                                            const Line& line, const std::stop_token& stop) {
  steps_.clear();
  try {
    switch (request.kind) {
      case Request::Kind::measure:
        return measure(request, repository, line, stop);
      case Request::Kind::bisect:
        return bisect(request, repository, stop);
      case Request::Kind::rerun:
      case Request::Kind::confirm:
        return rerun(request, repository, line, stop);
    }
  } catch (const InputError& error) {
    return Answer{Request::State::failed, 2, error.what()};
  } catch (const HostError& error) {
    // What tandem itself put off is tried again: the disk may have room by then.
    if (request.origin == Request::Origin::tandem) return std::nullopt;
    return failed(error.what());
  } catch (const Error& error) {
    const auto record =
        request.kind == Request::Kind::confirm ? steps_.context.store.record(request.record) : std::nullopt;
    return record ? unconfirmed(request, *record, error.what()) : failed(error.what());
  }
  return failed("this kind of request is not known");
}

std::optional<RequestHandler::Tried> RequestHandler::try_pair(const Request& request, const Examination& at,
                                                              std::optional<std::size_t> control,
                                                              const std::string& metric) {
  Tried tried;
  const auto* executable = steps_.builds.build(at.commit(), at.stop);
  if (at.stopped()) return std::nullopt;
  if (const auto failure = steps_.builds.unbuilt(at.id())) throw Error(failure->sentence);
  if (executable == nullptr) throw Error(fmt::format("{} does not build", at.id()));
  for (const Test& test : steps_.settings.tests) {
    auto listed = steps_.trials.list(test, *executable, at.stop);
    if (at.stopped()) return std::nullopt;
    if (const auto* failure = std::get_if<runners::RunFailure>(&listed)) {
      tried.failed = true;
      tried.lines.push_back(fmt::format("{}: {}", program_name(test), failure->what));
      continue;
    }
    for (Trial& trial : std::get<std::vector<Trial>>(listed)) {
      std::erase_if(trial.candidates, [&](const Candidate& one) {
        return !request.benchmark.empty() && one.name != request.benchmark;
      });
      if (trial.candidates.empty()) continue;
      trial.control = control
                          ? control
                          : steps_.controls.control_for(at.line, at.position, test, trial.candidates.front());
      if (!trial.control) {
        tried.lines.push_back(
            fmt::format("{}: there is no commit to compare with", trial.candidates.front().name));
        continue;
      }
      TrialPlan plan{steps_.settings.max_launches, fmt::format("request {}", request.id)};
      if (!metric.empty() && metric != trial.candidates.front().metric.name) plan.metric = metric;
      auto result = steps_.trials.measure(at, trial, plan);
      if (!result) return std::nullopt;
      if (const auto* reason = std::get_if<NotMeasured>(&*result)) {
        tried.failed = true;
        tried.lines.push_back(fmt::format("{}: {}: {}", trial.candidates.front().name,
                                          analysis::name_of(reason->outcome), reason->why));
        continue;
      }
      const auto& measured = std::get<Measured>(*result);
      for (const Screened& each : measured.screened) {
        const auto owner =
            std::find_if(trial.candidates.begin(), trial.candidates.end(),
                         [&](const Candidate& one) { return one.in_program == each.benchmark; });
        if (owner == trial.candidates.end()) continue;
        const bool wanted =
            metric.empty() ? each.rank == Screened::Rank::primary : each.metric.name == metric;
        if (!wanted) continue;
        const Candidate candidate{owner->in_program, owner->name, each.metric};
        tried.lines.push_back(fmt::format("{}: {}", report::series_name(candidate.name, each.metric),
                                          report::verdict_sentence(each)));
        tried.failed |= each.failure.has_value();
        tried.inconclusive |= each.verdict.outcome == Outcome::inconclusive;
        if (!is_changed(each.verdict)) tried.quiet = each.verdict.ratio;
        if (is_changed(each.verdict))
          tried.suspects.push_back(steps_.trials.suspect_of(trial, measured, candidate, each));
      }
    }
  }
  if (tried.lines.empty() && !request.benchmark.empty()) {
    throw InputError(fmt::format("{} has no benchmark {}", at.id(), request.benchmark));
  }
  std::stable_sort(tried.suspects.begin(), tried.suspects.end(),
                   [](const Suspect& one, const Suspect& other) { return size_of(one) > size_of(other); });
  return tried;
}

std::optional<Answer> RequestHandler::measure(const Request& request, const builders::Repository& repository,
                                              const Line& line, const std::stop_token& stop) {
  const builders::Commit commit = commit_named(repository, request.commit);
  const auto position = line.position(commit.id);
  const auto done = steps_.context.store.done(steps_.settings.key);
  // The next commit of the walk is simply examined; out of its turn that would step over those before it.
  const auto first_open = std::find_if(line.commits.begin(), line.commits.end(), [&](const auto& one) {
    return std::find(done.begin(), done.end(), one.id) == done.end();
  });
  const bool is_next = position && first_open != line.commits.end() && first_open->id == commit.id;
  const auto waiting = steps_.context.store.waiting_commits(steps_.settings.key);
  const bool waits = position && (was_given_up(steps_.context.store, steps_.settings.key, commit.id) ||
                                  std::any_of(waiting.begin(), waiting.end(),
                                              [&](const auto& one) { return one.commit == commit.id; }));
  if (request.against.empty() && request.benchmark.empty() && (is_next || waits)) {
    return examine({line, *position, stop});
  }
  const bool by_rule = request.against.empty() && position;
  const std::string against = request.against.empty() ? commit.first_parent : request.against;
  if (!by_rule && against.empty())
    throw InputError(fmt::format("{} has no parent; give --against", commit.id));
  const Line pair = by_rule ? line : make_line({commit_named(repository, against), commit}, now_seconds());
  const auto tried = by_rule ? try_pair(request, {pair, *position, stop}, std::nullopt, {})
                             : try_pair(request, {pair, 1, stop}, 0, {});
  if (!tried) return std::nullopt;
  const bool slower = std::any_of(tried->suspects.begin(), tried->suspects.end(), [](const Suspect& one) {
    return one.screened.verdict.outcome == Outcome::slower;
  });
  return Answer{
      Request::State::done, code_of(slower, tried->failed, tried->inconclusive),
      fmt::format("{} against {}:\n  {}", commit.id, by_rule ? "its control" : pair.commits.front().id,
                  fmt::join(tried->lines, "\n  "))};
}

std::optional<Answer> RequestHandler::examine(const Examination& at) {
  const auto examined = pipeline_.examine(at);
  if (examined == Pipeline::Examined::stopped) return std::nullopt;
  if (examined == Pipeline::Examined::put_off) return failed(pipeline_.why_put_off().sentence);
  settle_co_suspects(steps_.context.store, steps_.context.publisher, steps_.settings.key, at.id(),
                     steps_.context.now());
  std::vector<std::string> lines;
  bool slower = false;
  bool inconclusive = false;
  const std::string& commit = at.id();
  for (const auto& verdict : steps_.context.store.verdicts(steps_.settings.key, commit)) {
    slower |= verdict.outcome == Outcome::slower;
    inconclusive |= verdict.outcome == Outcome::inconclusive;
    lines.push_back(fmt::format("{}: {} {}", report::series_name(verdict.benchmark, verdict.metric),
                                analysis::name_of(verdict.outcome), verdict.note));
  }
  if (lines.empty()) return failed(fmt::format("{} does not build", commit));
  return Answer{Request::State::done, code_of(slower, false, inconclusive),
                fmt::format("{}:\n  {}", commit, fmt::join(lines, "\n  "))};
}

std::optional<Answer> RequestHandler::bisect(const Request& request, const builders::Repository& repository,
                                             const std::stop_token& stop) {
  const builders::Commit good = commit_named(repository, request.against);
  const builders::Commit bad = commit_named(repository, request.commit);
  if (!repository.first_parent_distance(good.id, bad.id).value_or(0)) {
    throw InputError(fmt::format("{} does not lead to {} along first parents; give an earlier GOOD",
                                 request.against, request.commit));
  }
  const Line line = line_between(repository, good, bad);
  const std::size_t last = line.commits.size() - 1;
  const auto record = request.record.empty() ? std::nullopt : steps_.context.store.record(request.record);
  const Examination at{line, last, stop};
  const auto tried = try_pair(request, at, 0, record ? record->metric.name : std::string());
  if (!tried) return std::nullopt;
  std::vector<std::string> lines;
  bool slower = false;
  bool failed = tried->failed;
  CulpritHunt hunt = steps_.hunt();
  for (const Suspect& suspect : tried->suspects) {
    const auto whole = steps_.confirmer.confirm(at, 0, last, suspect, 1);
    if (stop.stop_requested()) return std::nullopt;
    if (!is_confirmed(whole)) {
      lines.push_back(fmt::format(
          "{}: {} in the screen, {}", suspect.candidate.name, report::verdict_sentence(suspect.screened),
          whole && whole->failure.empty() ? "not confirmed" : "which could not be confirmed"));
      failed |= !whole || has_failed(whole);
      continue;
    }
    const auto steps = hunt.hunt(at, suspect, 0, last, *whole);
    if (!steps) return std::nullopt;
    for (const FoundStep& step : *steps) {
      lines.push_back(step_sentence(line, suspect, step));
      failed |= step.kind == FoundStep::Kind::unconfirmed;
      if (step.kind == FoundStep::Kind::unconfirmed) continue;
      slower |= step.direction == analysis::Direction::slower;
      const bool faster = step.direction == analysis::Direction::faster;
      if (faster && step.kind == FoundStep::Kind::culprit && !request.record.empty()) {
        if (!mark_fixed(request.record, repository, line.commits[step.culprit], stop)) return std::nullopt;
      }
    }
  }
  if (tried->suspects.empty()) {
    lines.push_back(
        fmt::format("no change from {} to {}:", report::short_commit(good.id), report::short_commit(bad.id)));
    for (const std::string& one : tried->lines) lines.push_back("  " + one);
  }
  return Answer{Request::State::done, code_of(slower, failed, tried->inconclusive),
                fmt::format("{}", fmt::join(lines, "\n"))};
}

bool RequestHandler::mark_fixed(const std::string& id, const builders::Repository& repository,
                                const builders::Commit& by, const std::stop_token& stop) {
  const auto record = steps_.context.store.record(id);
  if (!record || record->state != RecordState::recovered) return true;
  const auto control = repository.find(record->confirmation.control);
  if (!control) return true;
  const Line pair = make_line({*control, by}, now_seconds());
  const auto fix = steps_.settlement.fixes().measure({pair, 1, stop}, *record, by.id);
  if (!fix) return false;
  // It is gone at the tip: what is left here was undone by a later commit.
  if (fix->outcome != FixOutcome::gone) return true;
  const auto change = [&](Record one) {
    if (one.state != RecordState::recovered) return one;
    return after_fix(std::move(one), *fix,
                     {0, "found by a search after it had recovered", Ending::Basis::size});
  };
  steps_.context.store.save_records({}, {published(steps_.context.publisher, {id, change})});
  return true;
}

std::optional<Answer> RequestHandler::rerun(const Request& request, const builders::Repository& repository,
                                            const Line& line, const std::stop_token& stop) {
  const auto record = steps_.context.store.record(request.record);
  if (!record) throw InputError(fmt::format("there is no report {}", request.record));
  if (!is_step(record->kind)) return settle_again(request, *record, line, stop);
  const bool range = record->kind == RecordKind::accumulated;
  const Line pair = make_line({commit_named(repository, record->confirmation.control),
                               commit_named(repository, range ? record->treatment.id : record->culprit.id)},
                              now_seconds());
  Request narrow = request;
  narrow.benchmark = record->benchmark;
  const auto tried = try_pair(narrow, {pair, 1, stop}, 0, record->metric.name);
  if (!tried) return std::nullopt;
  if (tried->failed || tried->inconclusive) {
    return Answer{Request::State::done, code_of(false, tried->failed, true),
                  fmt::format("{} {}: it could not be said\n  {}", record->id, record->benchmark,
                              fmt::join(tried->lines, "\n  "))};
  }
  Retest retest;
  retest.at = steps_.context.now();
  retest.control = pair.commits[0].id;
  retest.treatment = pair.commits[1].id;
  retest.outcome = Outcome::unchanged;
  retest.ratio = tried->quiet.value_or(analysis::RatioInterval{});
  std::string said = "not seen again";
  for (const Suspect& suspect : tried->suspects) {
    retest.outcome = suspect.screened.verdict.outcome;
    retest.ratio = suspect.screened.verdict.ratio;
    const auto again = steps_.confirmer.confirm({pair, 1, stop}, 0, 1, suspect, 3);
    if (stop.stop_requested()) return std::nullopt;
    if (!is_confirmed(again)) {
      said = again && again->failure.empty() ? "seen again by the screen, but not confirmed"
                                             : "seen again by the screen, which could not be confirmed";
      continue;
    }
    retest.ratio = metric_ratio(again->result.ratio, record->metric.direction);
    said = fmt::format("confirmed again: {}", report::change_phrase(record->metric, retest.ratio.estimate));
  }
  const auto change = [&](Record one) {
    one.retests.push_back(retest);
    return one;
  };
  steps_.context.store.save_records({}, {published(steps_.context.publisher, {record->id, change})});
  return Answer{
      Request::State::done, 0,
      fmt::format("{} {}: {}\n  {}", record->id, record->benchmark, said, fmt::join(tried->lines, "\n  "))};
}

std::optional<Suspect> RequestHandler::suspect_again(const Record& record, const Examination& at,
                                                     std::size_t control) {
  const auto* executable = steps_.builds.build(at.commit(), at.stop);
  if (executable == nullptr) return std::nullopt;
  for (const Test& test : steps_.settings.tests) {
    const auto listed = steps_.trials.list(test, *executable, at.stop);
    const auto* trials = std::get_if<std::vector<Trial>>(&listed);
    auto trial = trials ? find_trial(*trials, record.benchmark, control) : std::nullopt;
    if (!trial) continue;
    trial->candidates.front().metric = record.metric;
    return steps_.trials.as_if_suspect(at, *trial, record);
  }
  return std::nullopt;
}

std::optional<Answer> RequestHandler::settle_again(const Request& request, const Record& record,
                                                   const Line& line, const std::stop_token& stop) {
  const auto control = line.position(record.control.id);
  const auto treatment = line.position(record.treatment.id);
  if (!control || !treatment) throw InputError("its commits are no longer on the branch");
  const Examination at{line, *treatment, stop};
  std::vector<Suspect> suspects;
  if (record.confirmation.exact) {
    Request narrow = request;
    narrow.benchmark = record.benchmark;
    auto tried = try_pair(narrow, at, *control, record.metric.name);
    if (!tried) return std::nullopt;
    suspects = std::move(tried->suspects);
    if (suspects.empty() && tried->failed) {
      return unconfirmed(request, record, fmt::format("{}", fmt::join(tried->lines, "; ")));
    }
  } else if (auto again = suspect_again(record, at, *control)) {
    // Its screen has been passed; what is missing is the confirmation.
    suspects.push_back(std::move(*again));
  }
  if (stop.stop_requested()) return std::nullopt;
  if (suspects.empty() && !record.confirmation.exact) {
    return unconfirmed(request, record, "its programs could not be built, or do not list the benchmark");
  }
  for (Suspect& suspect : suspects) {
    suspect.origin = Suspect::Origin::drift;  // the commit has its verdict
    suspect.q_value = record.q_value;
    if (!steps_.settlement.settle(at, suspect)) return std::nullopt;
    const std::string& why = steps_.settlement.why_unconfirmed();
    if (!why.empty()) return unconfirmed(request, record, why);
  }
  end_postponed(record.id, suspects.empty());
  const auto now = steps_.context.store.record(record.id);
  return Answer{Request::State::done, now && is_alive(now->state) ? 1 : 0,
                fmt::format("{} {}: {}; tandem report --all shows what came of it", record.id,
                            record.benchmark, suspects.empty() ? "not seen again" : "measured again")};
}

std::optional<Answer> RequestHandler::unconfirmed(const Request& request, const Record& record,
                                                  const std::string& why) const {
  const bool waited = record.kind == RecordKind::postponed || record.kind == RecordKind::unconfirmed;
  std::size_t tries = 1;
  const auto change = [&](Record one) {
    if (one.kind != RecordKind::postponed && one.kind != RecordKind::unconfirmed) return one;
    tries = one.kind == RecordKind::unconfirmed ? one.confirmation.tries + 1 : 1;
    one.kind = RecordKind::unconfirmed;
    one.confirmation.result.outcome = analysis::ConfirmationOutcome::failed;
    one.confirmation.failure = why;
    one.confirmation.tries = tries;
    return with_event(std::move(one), {one.state, steps_.context.now(), asked_by_tandem, why, {}});
  };
  if (waited)
    steps_.context.store.save_records({}, {published(steps_.context.publisher, {record.id, change})});
  // It waits on, and is due after a pause that grows.
  if (waited && request.kind == Request::Kind::confirm && tries < most_tries) return std::nullopt;
  return failed(fmt::format("{} {}: could not be confirmed: {}", record.id, record.benchmark, why));
}

void RequestHandler::end_postponed(const std::string& record, bool unseen) const {
  const auto change = [&](Record one) {
    if (one.kind != RecordKind::postponed && one.kind != RecordKind::unconfirmed) return one;
    if (!unseen) {
      return with_event(std::move(one), {RecordState::superseded,
                                         steps_.context.now(),
                                         asked_by_tandem,
                                         "the change is that of another commit",
                                         {}});
    }
    one.kind = RecordKind::not_reproduced;
    return with_event(std::move(one),
                      {RecordState::noted, steps_.context.now(), asked_by_tandem, "not seen again", {}});
  };
  steps_.context.store.save_records({}, {published(steps_.context.publisher, {record, change})});
}

}  // namespace tandem::daemon
