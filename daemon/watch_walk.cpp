#include "daemon/watch_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "builders/build_script.hpp"
#include "builders/fetch.hpp"
#include "daemon/wall_clock.hpp"
#include "specs/benchmark_spec.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

PipelineSettings::Control control_of(config::ControlRule rule) {
  switch (rule) {
    case config::ControlRule::week:
      return PipelineSettings::Control::week;
    case config::ControlRule::parent:
      return PipelineSettings::Control::parent;
    case config::ControlRule::fixed:
      return PipelineSettings::Control::fixed;
    case config::ControlRule::tag:
      break;
  }
  throw InputError("the control rule \"tag\" is not there yet; use week, parent or fixed");
}

/// What an earlier daemon found stays visible: the newest failed builds and verdicts.
void recall(Status& status, const store::Store& store, const WatchKey& key) {
  constexpr std::size_t shown = 20;
  for (const auto& build : store.failed_builds(key, shown)) {
    status.failed_builds.push_back({key.platform, build.commit, build.kind, build.sentence, build.log});
  }
  for (const auto& verdict : store.newest_verdicts(key, shown)) {
    status.last_verdicts.push_back(
        {key.platform, verdict.commit, verdict.benchmark, verdict.outcome, verdict.note});
  }
}

std::string first_word(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

}  // namespace

WatchWalk::WatchWalk(const config::Settings& settings, const config::WatchSettings& watch,
                     const Installation& installation, runners::PairRunner& runner, store::Store& store,
                     const Publisher& publisher, Status& status, std::function<void()> show)
    : settings_(settings),
      watch_(watch),
      installation_(installation),
      runner_(runner),
      store_(store),
      publisher_(publisher),
      status_(status),
      show_(std::move(show)),
      mirror_(settings.state_dir / "mirrors" / watch.name) {
  static_cast<void>(control_of(watch.control));
  if (watch.control == config::ControlRule::fixed && watch.base_commit.empty()) {
    throw InputError(fmt::format("watch {}: the control rule fixed needs base_commit", watch.name));
  }
  std::vector<specs::BenchmarkSpec> specs;
  if (!watch.benchmark_file.empty()) {
    specs::SpecOptions options;
    options.framework = watch.framework;
    auto loaded = specs::load_benchmarks(watch.benchmark_file, options);
    specs = std::move(loaded.benchmarks);
    for (const auto& notice : loaded.ignored) notices_.push_back(notice.text());
  }
  tests_ = tests_of(specs, watch.margin);
  const auto& frameworks = watch.frameworks_dir.empty() ? installation.frameworks_dir : watch.frameworks_dir;
  source_ = builders::resolve_source(watch.repo_dir, watch.remote_repository, watch.branch);
  for (const std::string& name : watch.platforms) {
    static_cast<void>(builders::find_build_script(frameworks, watch.framework, name));
    builders::BuildSettings build;
    build.state_dir = settings.state_dir;
    build.exec_dir = settings.exec_dir;
    build.mirror = mirror_;
    build.frameworks_dir = frameworks;
    build.framework = watch.framework;
    build.platform = name;
    build.sdk_dir = installation.sdk_dir;
    build.jobs = settings.jobs > 0 ? static_cast<unsigned>(settings.jobs)
                                   : std::max(1U, std::thread::hardware_concurrency());
    build.cxxflags = settings.cxxflags;
    build.ldflags = settings.ldflags;
    build.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.build_timeout);
    platforms_.push_back({{watch.name, name}, std::make_unique<builders::ScriptBuilder>(build), nullptr});
    recall(status, store, platforms_.back().key);
  }
}

WatchWalk::Ended WatchWalk::walk(const std::stop_token& stop) {
  status_.watch = watch_.name;
  status_.branch = watch_.branch;
  status_.url = source_.shown;
  status_.phase = "fetching";
  show_();
  auto fetched = builders::fetch(mirror_, source_, {installation_.program, std::chrono::minutes{10}}, stop);
  if (stop.stop_requested()) return Ended::stopped;
  if (const auto* failure = std::get_if<builders::FetchFailure>(&fetched)) {
    fail("fetch", failure->sentence);
    return Ended::fetch_failed;
  }
  tip_ = std::get<builders::Tip>(fetched).id;
  try {
    const auto opened = builders::open_repository(mirror_);
    const builders::Repository& repository = *opened;
    refresh_open_regressions();
    for (Platform& platform : platforms_) {
      const Ended ended = walk_platform(platform, repository, tip_, stop);
      if (ended != Ended::at_tip) return ended;
    }
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    fail("step", error.what());
    return Ended::step_failed;
  }
  return Ended::at_tip;
}

WatchWalk::Ended WatchWalk::walk_platform(Platform& platform, const builders::Repository& repository,
                                          const std::string& tip, const std::stop_token& stop) {
  if (!platform.pipeline) make_pipeline(platform, repository);
  status_.platform = platform.key.platform;
  if (!store_.start(platform.key)) store_.set_start(platform.key, start_of(repository, tip));
  const auto examined = store_.done(platform.key);
  const WalkPolicy policy{watch_.commit, static_cast<std::size_t>(watch_.step)};
  const Round round = plan_round(repository, tip, *store_.start(platform.key),
                                 {examined.begin(), examined.end()}, policy, now_seconds());
  if (!round.notice.empty()) {
    store_.set_start(platform.key, round.line.commits.front().id);
    fail("rewritten", round.notice);
  }
  platform.pipeline->expect_base_on(round.line);

  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < round.todo.size(); ++i) {
    const builders::Commit& commit = round.line.commits[round.todo[i]];
    status_.commit = commit;
    status_.commits_done = i;
    status_.commits_left = round.todo.size() - i;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    status_.seconds_left =
        i == 0 ? -1 : spent / static_cast<double>(i) * static_cast<double>(status_.commits_left);
    try {
      if (platform.pipeline->examine(round.line, round.todo[i], stop) == Pipeline::Examined::stopped) {
        return Ended::stopped;
      }
      if (!watch_.commit_file.empty()) write_by_rename(watch_.commit_file, commit.id + "\n");
    } catch (const Error& error) {
      fail("step", fmt::format("{}: {}", commit.id.substr(0, 12), error.what()));
      return Ended::step_failed;
    }
    refresh_open_regressions();
  }
  status_.commit = {};
  status_.benchmark.clear();
  status_.commits_left = 0;
  status_.seconds_left = -1;
  return Ended::at_tip;
}

void WatchWalk::make_pipeline(Platform& platform, const builders::Repository& repository) {
  PipelineSettings pipeline;
  pipeline.key = platform.key;
  pipeline.url = source_.shown;
  pipeline.control = control_of(watch_.control);
  pipeline.tests = tests_;
  pipeline.max_launches = static_cast<std::size_t>(settings_.max_launches);
  pipeline.records = watch_.regression ? PipelineSettings::Records::confirm : PipelineSettings::Records::none;
  pipeline.scratch = settings_.state_dir / "scratch";
  if (!watch_.base_commit.empty()) {
    const auto base = repository.find(watch_.base_commit);
    if (!base)
      throw InputError(fmt::format("watch {}: there is no commit {}", watch_.name, watch_.base_commit));
    pipeline.base_commit = base->id;
  }
  platform.pipeline = std::make_unique<Pipeline>(
      pipeline, Workshop{*platform.builder, runner_, store_, publisher_, now_seconds, status_, show_});
}

std::string WatchWalk::start_of(const builders::Repository& repository, const std::string& tip) const {
  WalkPolicy policy{watch_.commit, static_cast<std::size_t>(watch_.step)};
  if (policy.commit.empty() && watch_.control == config::ControlRule::fixed)
    policy.commit = watch_.base_commit;
  // FAI-PEP's resume file goes before the start: the walk begins with the commit it names.
  if (!watch_.commit_file.empty()) {
    if (const std::string resume = first_word(watch_.commit_file); !resume.empty()) policy.commit = resume;
  }
  return first_commit(repository, tip, policy);
}

void WatchWalk::fail(const char* kind, const std::string& sentence) {
  store_.add_event({watch_.name, kind, sentence, now_seconds()});
  status_.last_error = sentence;
  status_.last_error_at = now_seconds();
  show_();
}

void WatchWalk::refresh_open_regressions() {
  status_.open_regressions.clear();
  for (const Record& record : store_.records({{}, {}, {}, RecordState::open})) {
    status_.open_regressions.push_back(
        {record.id, record.benchmark, record.culprit.id, record.ratio.estimate});
  }
  show_();
}

int WatchWalk::exit_code(Ended ended) const {
  bool failed = ended != Ended::at_tip;
  bool inconclusive = false;
  for (const Platform& platform : platforms_) {
    if (!store_.records({platform.key, {}, {}, RecordState::open}).empty()) return 1;
    const auto build = store_.build(platform.key, tip_);
    if (!build || !build->succeeded) failed = true;
    const auto verdicts = store_.verdicts(platform.key, tip_);
    if (verdicts.empty()) failed = true;
    for (const auto& verdict : verdicts) {
      if (verdict.outcome == "failed") failed = true;
      if (verdict.outcome == "inconclusive") inconclusive = true;
    }
  }
  return failed ? 4 : inconclusive ? 3 : 0;
}

}  // namespace tandem::daemon
