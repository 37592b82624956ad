#include "daemon/service/watch_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <utility>

#include "builders/build_script.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/records/wording.hpp"
#include "daemon/service/building.hpp"
#include "runners/host/machine_facts.hpp"
#include "specs/benchmark/spec.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

/// What an earlier daemon found stays visible: the newest failed builds and verdicts.
void recall(Status& status, const store::Store& store, const WatchKey& key) {
  constexpr std::size_t shown = 20;
  for (const auto& build : store.failed_builds(key, shown)) {
    status.failed_builds.push_back(
        {key.platform, build.commit, build.kind, build.sentence, build.log, build.last_lines});
  }
  for (const auto& verdict : store.newest_verdicts(key, shown)) {
    status.last_verdicts.push_back({key.platform, verdict.commit,
                                    report::series_name(verdict.benchmark, verdict.metric),
                                    name_of(verdict.outcome), verdict.note});
  }
}

std::string first_word(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::string this_host() {
  return runners::host_identity(runners::read_machine_facts());
}

/// What the settings and the spec of a watch say.
struct WatchSpec {
  std::vector<Test> tests;
  std::optional<specs::BuildSection> build;
  std::vector<std::string> notices;
};

WatchSpec read_spec(const config::Settings& settings, const config::WatchSettings& watch) {
  if (watch.control == config::ControlRule::fixed && watch.base_commit.empty()) {
    throw InputError(fmt::format("watch {}: the control rule fixed needs base_commit", watch.name));
  }
  if (watch.needs_git && watch.repo != "git") {
    throw InputError(fmt::format("watch {}: needs_git is for git; {} has none", watch.name, watch.repo));
  }
  WatchSpec spec;
  std::vector<specs::BenchmarkSpec> specs;
  if (!watch.benchmark_file.empty()) {
    specs::SpecOptions options;
    options.framework = watch.framework;
    options.string_map = settings.harness.string_map;
    options.command_args = added_arguments(settings.harness);
    auto loaded = specs::load_benchmarks(watch.benchmark_file, options);
    specs = std::move(loaded.benchmarks);
    spec.build = std::move(loaded.build);
    for (const auto& notice : loaded.ignored) spec.notices.push_back(notice.text());
  }
  spec.tests = tests_of(specs, {watch.margin, settings.harness.env, settings.harness.shared_libs,
                                added_arguments(settings.harness)});
  return spec;
}

}  // namespace

void check_watch(const config::Settings& settings, const Installation& installation,
                 const config::WatchSettings& watch) {
  const WatchSpec spec = read_spec(settings, watch);
  static_cast<void>(source_of(watch));
  specs::complain_of_build(watch.framework, spec.build);
  const auto frameworks = watch.frameworks_dir.empty() ? installation.frameworks_dir : watch.frameworks_dir;
  for (const std::string& platform : watch.platforms) {
    static_cast<void>(builders::find_build_script(frameworks, watch.framework, platform));
  }
}

WatchWalk::WatchWalk(WatchContext context, const config::WatchSettings& watch)
    : context_(std::move(context)),
      settings_(context_.settings),
      watch_(watch),
      store_(context_.store),
      status_(context_.status),
      mirror_(settings_.state_dir / "mirrors" / watch.name) {
  WatchSpec spec = read_spec(settings_, watch);
  tests_ = std::move(spec.tests);
  build_section_ = std::move(spec.build);
  notices_ = std::move(spec.notices);
  source_ = source_of(watch);
  for (const std::string& name : watch.platforms) {
    Platform& platform = platforms_.emplace_back();
    platform.key = {watch.name, name};
    make_building(platform);
    recall(status_, store_, platforms_.back().key);
    show_calibrations(status_, store_, platforms_.back().key, this_host(), now_seconds());
  }
}

void WatchWalk::make_building(Platform& platform) {
  builders::BuildSettings build = build_settings(
      {settings_, watch_, context_.installation, context_.isolation, mirror_, source_, build_section_},
      platform.key.platform);
  build.budget = context_.budget;
  static_cast<void>(
      builders::find_build_script(build.frameworks_dir, watch_.framework, platform.key.platform));
  platform.building = std::make_unique<Building>(build, watch_.same_host, context_.cpus);
  platform.runner = std::make_unique<runners::HookedRunner>(
      context_.runner, std::vector<runners::RunnerHook>{platform.building->pause_during_launches()});
}

void WatchWalk::take_isolation() {
  for (Platform& platform : platforms_) {
    // They are made anew by the next pass; what they know is in the store.
    platform.requests.reset();
    platform.idle.reset();
    platform.pipeline.reset();
    platform.runner.reset();
    make_building(platform);
  }
}

WatchWalk::Ended WatchWalk::walk(const std::stop_token& stop) {
  Ended ended = Ended::step_failed;
  if (!settings_.once && std::chrono::steady_clock::now() < next_walk_) return ended;
  try {
    ended = pass(stop);
    went_through_ = true;
    if (ended != Ended::step_failed) host_failures_ = 0;
  } catch (const InputError& error) {
    if (!went_through_) throw;
    fail("step", error.what());
  } catch (const std::exception& error) {
    fail("step", error.what());
    rest_after_host_failure();
  }
  at_tip_ = ended == Ended::at_tip;
  if (ended == Ended::step_failed) {
    for (Platform& platform : platforms_) platform.building->expect({});
  }
  status_.commit = {};
  status_.benchmark.clear();
  status_.commits_left = 0;
  status_.seconds_left = -1;
  return ended;
}

WatchWalk::Ended WatchWalk::pass(const std::stop_token& stop) {
  status_.watch = watch_.name;
  status_.branch = watch_.branch;
  status_.url = source_.shown;
  for (Platform& platform : platforms_) platform.line.reset();
  earlier_repositories_.clear();
  put_off_.clear();
  const bool fetched = fetch(stop);
  if (stop.stop_requested()) return Ended::stopped;
  keep_mirror_small(stop);
  if (stop.stop_requested()) return Ended::stopped;
  if (!open_mirror()) return Ended::fetch_failed;
  if (!bring_files(stop)) return stop.stop_requested() ? Ended::stopped : Ended::step_failed;
  refresh_open_regressions();
  Ended worst = fetched ? Ended::at_tip : Ended::fetch_failed;
  for (Platform& platform : platforms_) {
    const Ended ended = walk_platform(platform, stop);
    if (ended == Ended::stopped) return ended;
    if (ended != Ended::at_tip) worst = ended;
  }
  return worst;
}

WalkPolicy WatchWalk::policy() const {
  WalkPolicy policy;
  policy.commit = watch_.commit;
  policy.step = static_cast<std::size_t>(watch_.step);
  policy.commits = watch_.walk;
  policy.catch_up = watch_.catch_up;
  if (watch_.control == config::ControlRule::tag) policy.tags = watch_.control_tag;
  return policy;
}

bool WatchWalk::open_mirror() {
  if (tip_.empty()) return false;
  for (Platform& platform : platforms_) platform.line.reset();
  if (repository_) earlier_repositories_.push_back(std::move(repository_));
  repository_ = builders::open_repository(mirror_);
  return true;
}

Round WatchWalk::plan(Platform& platform) {
  if (!platform.pipeline) make_pipeline(platform);
  if (!store_.start(platform.key)) store_.set_start(platform.key, start_of());
  const auto examined = store_.done(platform.key);
  const std::int64_t now = now_seconds();
  const auto seen = store_.future_commits();
  std::set<std::string> passed(examined.begin(), examined.end());
  const auto waiting = store_.waiting_commits(platform.key);
  for (const auto& one : waiting) passed.insert(one.commit);
  Round round = plan_round(*repository_, tip_, *store_.start(platform.key), passed, policy(), now, seen);
  store_.note_future_commits(dated_after(round.line, now, seen), now);
  // What is new comes first: a commit that failed before may well fail again.
  const auto due = due_commits(waiting, round.line, now, settings_.once ? Pauses::ignored : Pauses::kept);
  round.todo.insert(round.todo.end(), due.begin(), due.end());
  if (!round.notice.empty()) {
    store_.set_start(platform.key, round.line.commits.front().id);
    fail("rewritten", round.notice);
  }
  platform.pipeline->expect_base_on(round.line);
  platform.line = round.line;
  return round;
}

WatchWalk::Ended WatchWalk::walk_platform(Platform& platform, const std::stop_token& stop) {
  status_.platform = platform.key.platform;
  status_.builds_ahead = platform.building->ahead_sentence();
  const Round round = plan(platform);
  carry_records_over(platform);

  const auto next_of = [&](std::size_t first) {
    std::vector<builders::Commit> next;
    for (std::size_t at = first; at < std::min(first + commits_ahead, round.todo.size()); ++at) {
      next.push_back(round.line.commits[round.todo[at]]);
    }
    return next;
  };
  show_waiting_commits();

  // One that comes back late lies before what was examined meanwhile, and the resume file stays where it is.
  std::size_t newest = 0;
  const auto done = store_.done(platform.key);
  const std::set<std::string> examined_before(done.begin(), done.end());
  for (std::size_t at = 0; at < round.line.commits.size(); ++at) {
    if (examined_before.contains(round.line.commits[at].id)) newest = at;
  }
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < round.todo.size(); ++i) {
    const builders::Commit& commit = round.line.commits[round.todo[i]];
    status_.commit = commit;
    status_.commits_done = i;
    status_.commits_left = round.todo.size() - i;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    status_.seconds_left =
        i == 0 ? -1 : spent / static_cast<double>(i) * static_cast<double>(status_.commits_left);
    platform.building->expect(next_of(i + 1));
    const auto host_failed = [&](const std::string& why) {
      fail("step", fmt::format("{}: {}", commit.id.substr(0, 12), why));
      keep_cache_in_budget();
      rest_after_host_failure();
      return Ended::step_failed;
    };
    constexpr auto unexpected = builders::BuildFailure::Kind::unexpected;
    try {
      const auto examined = platform.pipeline->examine({round.line, round.todo[i], stop});
      if (examined == Pipeline::Examined::stopped) return Ended::stopped;
      if (examined == Pipeline::Examined::put_off) {
        const builders::BuildFailure& failure = platform.pipeline->why_put_off();
        put_off_commit(platform, commit, {builders::name_of(failure.kind), failure.sentence});
      } else {
        settle_co_suspects(store_, context_.publisher, platform.key, commit.id, now_seconds());
        if (!watch_.commit_file.empty() && round.todo[i] >= newest) {
          write_by_rename(watch_.commit_file, commit.id + "\n");
        }
        newest = std::max(newest, round.todo[i]);
      }
    } catch (const HostError& error) {
      return host_failed(error.what());
    } catch (const std::system_error& error) {
      const bool full = error.code() == std::errc::no_space_on_device || error.code().value() == EDQUOT;
      if (full) return host_failed(error.what());
      put_off_commit(platform, commit, {builders::name_of(unexpected), error.what()});
    } catch (const std::exception& error) {
      put_off_commit(platform, commit, {builders::name_of(unexpected), error.what()});
    }
    refresh_open_regressions();
    show_waiting_commits();
    keep_cache_in_budget(next_of(i + 1));
    // A person who asks does not wait for the rest of the history.
    if (i + 1 < round.todo.size()) serve_requests(stop);
    if (stop.stop_requested()) return Ended::stopped;
    // A backlog may take days, and a sandbox may be there in a minute.
    if (context_.try_isolation) context_.try_isolation();
    if (!platform.pipeline) make_pipeline(platform);
  }
  platform.line = round.line;
  forget_old(platform);
  return Ended::at_tip;
}

void WatchWalk::make_pipeline(Platform& platform) {
  WalkSettings pipeline;
  pipeline.key = platform.key;
  pipeline.url = source_.shown;
  pipeline.control = watch_.control;
  pipeline.tests = tests_;
  pipeline.max_launches = static_cast<std::size_t>(settings_.max_launches);
  pipeline.layouts = static_cast<std::size_t>(settings_.layouts);
  pipeline.records = watch_.regression ? WalkSettings::Records::confirm : WalkSettings::Records::none;
  pipeline.scratch = context_.scratch;
  if (!watch_.base_commit.empty()) {
    const auto base = repository_->find(watch_.base_commit);
    if (!base)
      throw InputError(fmt::format("watch {}: there is no commit {}", watch_.name, watch_.base_commit));
    pipeline.base_commit = base->id;
  }
  pipeline.cpus = context_.cpus;
  pipeline.confirmation_time = settings_.confirmation_time;
  WalkContext context{platform.building->builder(),
                      *platform.runner,
                      store_,
                      context_.publisher,
                      now_seconds,
                      status_,
                      context_.show,
                      this_host,
                      [this](const std::string& commit) { return facts_of(commit); }};
  if (context_.report) {
    context.results = [this, name = platform.key.platform](const TrialResults& results) {
      report(results, name);
    };
  }
  platform.pipeline = std::make_unique<Pipeline>(std::move(pipeline), std::move(context));
  platform.idle = std::make_unique<IdleTime>(platform.pipeline->steps());
  platform.requests = std::make_unique<RequestHandler>(*platform.pipeline);
}

std::string WatchWalk::start_of() const {
  WalkPolicy first = policy();
  if (first.commit.empty() && watch_.control == config::ControlRule::fixed) first.commit = watch_.base_commit;
  // FAI-PEP's resume file goes before the start: the walk begins with the commit it names.
  if (!watch_.commit_file.empty()) {
    if (const std::string resume = first_word(watch_.commit_file); !resume.empty()) first.commit = resume;
  }
  return first_commit(*repository_, tip_, first);
}

/// A disk that is full must not end the service: then only the person who looks on is told.
void WatchWalk::fail(const char* kind, const std::string& sentence) {
  try {
    store_.add_event({watch_.name, kind, sentence, now_seconds()});
  } catch (const Error&) {
  }
  status_.last_error = sentence;
  status_.last_error_at = now_seconds();
  context_.show();
}

void WatchWalk::refresh_open_regressions() {
  status_.open_regressions.clear();
  for (const Record& record : store_.living()) {
    status_.open_regressions.push_back(
        {record.id, record.benchmark, record.culprit.id, record.ratio.estimate});
  }
  status_.unconfirmed.clear();
  for (const Record& record : store_.records({{}, {}, RecordKind::unconfirmed, RecordState::noted})) {
    status_.unconfirmed.push_back({record.id, record.benchmark, record.treatment.id,
                                   record.confirmation.failure, record.confirmation.tries, most_tries});
  }
  context_.show();
}

int WatchWalk::exit_code(Ended ended) const {
  int code = ended == Ended::at_tip ? 0 : 4;
  for (const Platform& platform : platforms_) {
    code = more_pressing(code, code_of_tip(store_, platform.key, tip_));
  }
  return code;
}

int code_of_tip(const store::Store& store, const WatchKey& key, const std::string& tip) {
  if (!store.living(key).empty()) return 1;
  const auto build = store.build(key, tip);
  const auto verdicts = store.verdicts(key, tip);
  if (!build || !build->succeeded || verdicts.empty()) return 4;
  int code = 0;
  for (const auto& verdict : verdicts) {
    if (analysis::is_failure(verdict.outcome)) return 4;
    const bool of_its_own = report::series_name(verdict.benchmark, verdict.metric) == verdict.benchmark;
    if (verdict.outcome == analysis::Outcome::inconclusive && of_its_own) code = 3;
  }
  // A suspect without a confirmation is neither slower nor fine yet.
  for (const Record& record : store.records({key, {}, {}, RecordState::noted})) {
    if (record.treatment.id != tip) continue;
    if (record.kind == RecordKind::unconfirmed) return 4;
    if (record.kind == RecordKind::postponed) code = 3;
  }
  return code;
}

}  // namespace tandem::daemon
