#include "daemon/service/service.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "daemon/harness/run_labels.hpp"
#include "daemon/service/state_start.hpp"
#include "daemon/service/storage_rules.hpp"
#include "runners/host/devices.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/process_identity.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

/// A daemon killed while it was starting a child leaves the lock to that child for a moment.
bool lock_soon(FileLock& lock, const std::stop_token& stop) {
  constexpr int most_tries = 20;
  for (int tries = 1; !lock.try_lock(); ++tries) {
    if (tries > most_tries || !pause_unless_stopped(std::chrono::milliseconds{50}, stop)) return false;
  }
  return true;
}

/// A state directory holds the history of one device.
runners::CpuChoice one_device(const config::HarnessSettings& settings) {
  const auto devices =
      runners::choose_devices(runners::read_topology(), settings.devices, settings.excluded_devices);
  if (devices.size() > 1)
    throw InputError(
        "--devices: a daemon measures on one device; start one for each, with a state_dir of its own");
  return devices.front().cpus;
}

}  // namespace

Service::Checked Service::check(const config::Settings& settings, const Installation& installation) {
  Checked checked;
  checked.cpus = one_device(settings.harness);
  for (const auto& watch : settings.watches) check_watch(settings, installation, watch);
  check_state_directory(settings.state_dir);
  checked.isolation = choose_isolation(settings.sandbox, installation.shim, settings.state_dir);
  checked.marker = claim_state_directory(settings.state_dir);
  return checked;
}

Service::Service(const config::Settings& settings, const Installation& installation, const Watcher& watcher,
                 EventLoop& events)
    : settings_(settings),
      installation_(installation),
      events_(events),
      checked_(check(settings, installation)),
      lock_(settings.state_dir / "daemon.lock") {
  events.watch_stop_file(settings.status_file);
  if (!lock_soon(lock_, stop())) {
    throw Error(fmt::format("{} is the daemon of {}; stop it or choose another --state_dir", lock_.holder(),
                            settings.state_dir.string()));
  }
  const std::int64_t now = now_seconds();
  remove_half_written(settings.state_dir, {"status.json", "tandem.state"});
  auto opened = open_store(settings.state_dir, now);
  store_ = std::move(opened.store);
  publisher_ = std::make_unique<Publisher>(settings.state_dir, store_->id());
  store_->let_running_requests_wait();
  status_.kept = std::move(opened.notices);
  for (std::string& notice : restore_reports(*publisher_, *store_, now)) {
    status_.kept.push_back(std::move(notice));
  }
  scratch_ = std::make_unique<OwnScratch>(settings.state_dir, checked_.marker.id);
  for (const fs::path& foreign : scratch_->foreign()) {
    status_.kept.push_back(fmt::format("{} is not of this version and was kept; remove it if it is of no use",
                                       foreign.string()));
  }
  for (const std::string& notice : status_.kept) show(stderr, "tandem: {}\n", notice);
  status_.version = installation.version;
  status_.pid = ::getpid();
  status_.process = this_process();
  isolation_ = checked_.isolation;
  board_ = std::make_unique<StatusBoard>(*publisher_, status_, watcher);
  host_.scratch = scratch_->path();
  host_.cpus = checked_.cpus;
  host_.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.benchmark_timeout);
  isolate();
  host_runner_ = std::make_unique<runners::HostPairRunner>(host_);
  const auto look = [this](const runners::LaunchPlan*, const std::stop_token&) {
    if (look_) look_();
    return nullptr;
  };
  runner_ = std::make_unique<runners::HookedRunner>(
      *host_runner_, std::vector<runners::RunnerHook>{{.before = look}, hold_measuring_lock()});
  if (const auto wanted = harness::reporters_of(settings.harness, settings.state_dir);
      names_a_reporter(wanted))
    reporters_ = std::make_unique<harness::Reporters>(wanted);
  std::function<void(const RunRecord&)> report_to;
  if (reporters_) report_to = [this](const RunRecord& record) { report(record); };
  std::shared_ptr<builders::CacheBudget> budget;
  if (settings.cache_budget > 0) {
    budget = std::make_shared<builders::CacheBudget>(settings.exec_dir, settings.cache_budget,
                                                     commits_of_living(*store_));
  }
  for (const auto& watch : settings.watches) {
    walks_.push_back(std::make_unique<WatchWalk>(
        WalkGround{settings, installation, isolation_, host_.cpus, *runner_, *store_, *publisher_, status_,
                   [this] { board_->show(); }, report_to, scratch_->path(), budget,
                   [this] { try_isolation_again(); }},
        watch));
    for (const std::string& notice : walks_.back()->notices()) show(stderr, "tandem: {}\n", notice);
  }
}

runners::RunnerHook Service::hold_measuring_lock() {
  const auto waiting = [this](const std::string& holder) {
    status_.phase = fmt::format("waiting: {} is measuring on this host", holder);
    board_->show();
  };
  return {.before = [this, waiting, told = false](const runners::LaunchPlan*,
                                                  const std::stop_token& stop) mutable {
    using runners::MeasuringLock;
    auto lock = std::make_shared<MeasuringLock>(waiting, stop, MeasuringLock::Asker::daemon);
    if (!lock->uncoordinated().empty() && !std::exchange(told, true)) note("host", lock->uncoordinated());
    return lock;
  }};
}

std::shared_ptr<void> Service::look_before_calls(std::function<void()> look) {
  look_ = std::move(look);
  return {nullptr, [this](void*) { look_ = {}; }};
}

void Service::report(const RunRecord& record) {
  for (const std::string& sentence : reporters_->report(record)) note("reporter", sentence);
}

void Service::deliver_results() {
  if (!reporters_) return;
  if (const auto sentence = reporters_->deliver(stop())) note("reporter", *sentence);
}

/// A disk that is full must not end the service.
void Service::note(const std::string& kind, const std::string& sentence) {
  try {
    store_->add_event({"", kind, sentence, now_seconds()});
  } catch (const Error&) {
  }
  status_.last_error = sentence;
  status_.last_error_at = now_seconds();
}

}  // namespace tandem::daemon
