// What a walk does beside its commits: idle steps, requests, and records of a branch that was rewritten.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "daemon/harness/run_labels.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/records/life.hpp"
#include "daemon/service/watch_walk.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {

IdleTime::Spent WatchWalk::spend_idle_step(const std::stop_token& stop) {
  if (!settings_.once && serve_own_request(stop)) {
    return stop.stop_requested() ? IdleTime::Spent::stopped : IdleTime::Spent::continued;
  }
  // One pass by hand is not asked for evidence about the host.
  const auto work = settings_.once        ? IdleTime::Work::calibration
                    : settings_.calibrate ? IdleTime::Work::all
                                          : IdleTime::Work::all_but_calibration;
  for (Platform& platform : platforms_) {
    if (!platform.idle || !platform.line) continue;
    status_.watch = watch_.name;
    const auto spent = platform.idle->spend_next(*platform.line, stop, work);
    status_.benchmark.clear();
    if (spent != IdleTime::Spent::nothing_to_do) {
      keep_cache_in_budget();
      return spent;
    }
  }
  return IdleTime::Spent::nothing_to_do;
}

bool WatchWalk::has_news(const std::stop_token& stop) {
  const std::string before = tip_;
  if (fetch(stop) && tip_ != before) return true;
  const bool rests = std::chrono::steady_clock::now() < next_walk_;
  return (!at_tip_ && !rests) || has_due_commits();
}

builders::CommitFacts WatchWalk::facts_of(const std::string& commit) const {
  try {
    return repository_->facts(commit);
  } catch (const Error&) {
    return {};
  }
}

void WatchWalk::carry_records_over(Platform& platform) {
  if (platform.settled_tip == tip_) return;
  try {
    settle_records(platform);
  } catch (const Error& error) {
    fail("mirror", fmt::format("whether the branch still has the recorded commits could not be read: {}",
                               error.what()));
  }
}

void give_missing_patches(store::Store& store, const Publisher& publisher, const WatchKey& key,
                          const std::function<std::string(const std::string& commit)>& patch_of) {
  for (const Record& record : store.living(key)) {
    const std::string patch = record.culprit_patch.empty() ? patch_of(record.culprit.id) : std::string();
    if (patch.empty()) continue;
    const auto change = [&](Record one) {
      one.culprit_patch = patch;
      return one;
    };
    store.save_records({}, {published(publisher, {record.id, change})});
  }
}

void WatchWalk::settle_records(Platform& platform) {
  RewrittenBranch branch;
  branch.has = [&](const std::string& commit) {
    return platform.line->position(commit).has_value() ||
           (repository_->find(commit) && repository_->is_strict_ancestor(commit, tip_));
  };
  branch.with_patch = [&](const std::string& patch) -> std::optional<builders::Commit> {
    for (const builders::Commit& commit : platform.line->commits) {
      const auto known = platform.patches.find(commit.id);
      if (known != platform.patches.end() && known->second == patch) return commit;
    }
    return std::nullopt;
  };
  give_missing_patches(store_, context_.publisher, platform.key, [&](const std::string& commit) {
    return repository_->find(commit) ? repository_->facts(commit).patch_id : std::string();
  });
  const auto records = store_.records({platform.key, {}, {}, {}});
  const bool all_there = std::all_of(records.begin(), records.end(), [&](const Record& one) {
    return one.state == RecordState::superseded ? !branch.has(one.culprit.id) : branch.has(one.culprit.id);
  });
  if (!all_there) {
    // This may take a while, so the records are read again after it: a person may have changed them.
    for (const builders::Commit& commit : platform.line->commits) {
      // What cannot be read is an error here: a record would be superseded for want of its patch.
      if (platform.patches.contains(commit.id)) continue;
      platform.patches[commit.id] = repository_->facts(commit.id).patch_id;
    }
    const auto changed = carried_over(store_.records({platform.key, {}, {}, {}}), branch, now_seconds());
    publish(context_.publisher, changed);
    if (!changed.empty()) store_.save_records(changed, {});
    context_.publisher.saved(changed);
  }
  platform.settled_tip = tip_;
}

void WatchWalk::save_answers() {
  while (!unsaved_answers_.empty()) {
    store_.update_request(unsaved_answers_.back());
    unsaved_answers_.pop_back();
  }
}

void WatchWalk::serve_requests(const std::stop_token& stop) {
  try {
    save_answers();
    for (Request& request : store_.waiting_requests(watch_.name)) {
      if (stop.stop_requested()) return;
      if (request.origin == Request::Origin::person) serve(request, stop);
    }
  } catch (const Error& error) {
    fail("request", error.what());
  }
}

bool WatchWalk::is_due(const Request& request) const {
  if (request.kind != Request::Kind::confirm) return true;
  const auto record = store_.record(request.record);
  if (!record || record->kind != RecordKind::unconfirmed || record->life.empty()) return true;
  const auto pause = pause_after(record->confirmation.tries, settings_.interval);
  return now_seconds() >= record->life.back().at + pause.count();
}

bool WatchWalk::serve_own_request(const std::stop_token& stop) {
  try {
    save_answers();
    for (Request& request : store_.waiting_requests(watch_.name)) {
      if (request.origin == Request::Origin::person || put_off_.contains(request.id)) continue;
      if (!is_due(request)) continue;
      serve(request, stop);
      // The host failed: not again before the next pass.
      if (request.state == Request::State::waiting && !stop.stop_requested()) put_off_.insert(request.id);
      return true;
    }
  } catch (const Error& error) {
    fail("request", error.what());
  }
  return false;
}

void WatchWalk::serve_what_is_due(const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto may_begin = [&] {
    return !stop.stop_requested() && std::chrono::steady_clock::now() - begin < settings_.confirmation_time;
  };
  while (may_begin() && serve_own_request(stop)) {
  }
  for (Platform& platform : platforms_) {
    if (!platform.idle || !platform.line) continue;
    while (may_begin() && platform.idle->spend_next(*platform.line, stop, IdleTime::Work::fixes) ==
                              IdleTime::Spent::retested) {
    }
  }
  refresh_open_regressions();
}

void WatchWalk::serve(Request& request, const std::stop_token& stop) {
  request.state = Request::State::running;
  request.progress = "measuring";
  // A person may have withdrawn it meanwhile.
  if (!store_.update_waiting_request(request)) return;
  std::optional<Answer> found;
  try {
    found = answer(request, stop);
  } catch (const std::exception& error) {
    found = Answer{Request::State::failed, 4, error.what()};
  }
  request.progress.clear();
  request.state = found ? found->state : Request::State::waiting;
  if (found) {
    request.answer = found->text;
    request.code = found->code;
  }
  // The answer took long to find, so that a disk that is full now must not lose it. A daemon that ends before
  // it is written leaves the request running, and the next one takes it up again.
  unsaved_answers_.push_back(request);
  save_answers();
  refresh_open_regressions();
  show_waiting_commits();
  keep_cache_in_budget();
}

std::optional<Answer> WatchWalk::answer(const Request& request, const std::stop_token& stop) {
  if (tip_.empty() && !fetch(stop)) return std::nullopt;
  if (!repository_ && !open_mirror()) return std::nullopt;
  // What a person names may be newer than the last fetch; a branch may have moved since.
  const auto is_old = [&](const std::string& name) {
    const auto commit = name.empty() ? std::nullopt : repository_->find(name);
    return !name.empty() && (!commit || !commit->id.starts_with(name));
  };
  if ((is_old(request.commit) || is_old(request.against)) && fetch(stop) && !open_mirror()) {
    return std::nullopt;
  }
  if (!bring_files(stop)) return std::nullopt;
  std::optional<Answer> all;
  for (Platform& platform : platforms_) {
    if (!request.key.platform.empty() && request.key.platform != platform.key.platform) continue;
    if (!platform.pipeline) make_pipeline(platform);
    // A search needs no walk, and must not decide where one begins.
    const bool walks = request.kind != Request::Kind::bisect;
    if (walks && !platform.line) static_cast<void>(plan(platform));
    status_.watch = watch_.name;
    status_.platform = platform.key.platform;
    status_.commit = repository_->find(request.commit).value_or(builders::Commit{});
    const auto one = platform.requests->serve(request, *repository_, platform.line.value_or(Line{}), stop);
    status_.commit = {};
    if (!one || stop.stop_requested()) return std::nullopt;
    if (!all) {
      all = one;
      continue;
    }
    all->text += "\n" + one->text;
    all->code = more_pressing(all->code, one->code);
    if (one->state == Request::State::failed) all->state = one->state;
  }
  if (all) return all;
  return Answer{Request::State::failed, 2,
                fmt::format("{} is not a platform of {}", request.key.platform, watch_.name)};
}

namespace {

const char* name_of(TrialResults::Type type) {
  switch (type) {
    case TrialResults::Type::benchmark:
      return "benchmark";
    case TrialResults::Type::verify:
      return "verify";
    case TrialResults::Type::regress:
      return "regress";
  }
  return "benchmark";
}

}  // namespace

bool WatchWalk::bring_files(const std::stop_token& stop) {
  if (files_are_here_) return true;
  specs::ModelFileSettings files;
  files.cache = settings_.harness.model_cache;
  files.root_model_dir = settings_.harness.root_model_dir;
  harness::RunLabels labels;
  labels.host = runners::read_machine_facts();
  if (!settings_.harness.devices.empty()) labels.device = settings_.harness.devices;
  for (Test& test : tests_) {
    test.values["DEVICEHASH"] = harness::device_hash(labels);
    const auto failure = daemon::bring_files(
        test, files, [&](const specs::DownloadProgress& now) { status_.phase = "downloading " + now.file; },
        stop);
    if (!failure || stop.stop_requested()) continue;
    if (failure->reason == specs::FileFailure::Reason::wrong)
      throw InputError(fmt::format("watch {}: {}", watch_.name, failure->what));
    fail("model files", failure->what);
    return false;
  }
  files_are_here_ = !stop.stop_requested();
  return files_are_here_;
}

void WatchWalk::report(const TrialResults& results, const std::string& platform) const {
  const config::HarnessSettings& settings = settings_.harness;
  harness::RunLabels labels;
  labels.run_type = name_of(results.type);
  labels.regressed_types = settings.regressed_types;
  if (results.type == TrialResults::Type::regress) {
    for (const auto& kept : results.run.series) {
      if (kept.benchmark == results.benchmark) labels.regressed_types.push_back(kept.series.key());
    }
  }
  labels.framework = watch_.framework;
  labels.backend = settings.backend.empty() ? platform : settings.backend;
  if (!settings.devices.empty()) labels.device = settings.devices;
  labels.user_identifier = settings.user_identifier;
  labels.user_string = settings.user_string;
  labels.host = runners::read_machine_facts();
  labels.isolation = status_.isolation_facts;
  const auto build_of = [](const builders::Commit& commit) {
    return ReportedBuild{commit.id, commit.committer_time};
  };
  context_.report(harness::record_of(results.test, results.run, build_of(results.treatment),
                                     build_of(results.control), labels));
}

}  // namespace tandem::daemon
