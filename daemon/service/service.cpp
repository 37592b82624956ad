#include "daemon/service/service.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "daemon/harness/run_labels.hpp"
#include "daemon/report/status_report.hpp"
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

Service::Service(const config::Settings& settings, const Installation& installation, const ShowStatus& show,
                 EventLoop& events)
    : settings_(settings),
      installation_(installation),
      show_(show),
      events_(events),
      checked_(check(settings, installation)),
      lock_(settings.state_dir / "daemon.lock") {
  events.watch_stop_file(settings.status_file);
  if (!lock_soon(lock_, stop())) {
    throw Error(fmt::format("{} is the daemon of {}; stop it or choose another --state_dir", lock_.holder(),
                            settings.state_dir.string()));
  }
  open_state();
  status_.version = installation.version;
  status_.pid = ::getpid();
  status_.process = this_process();
  make_runner();
  make_walks();
}

void Service::open_state() {
  const std::int64_t now = now_seconds();
  remove_half_written(settings_.state_dir, {"status.json", "tandem.state"});
  auto opened = open_store(settings_.state_dir, now);
  store_ = std::move(opened.store);
  publisher_ = std::make_unique<Publisher>(settings_.state_dir, store_->id());
  store_->let_running_requests_wait();
  status_.kept = std::move(opened.notices);
  for (std::string& notice : restore_reports(*publisher_, *store_, now)) {
    status_.kept.push_back(std::move(notice));
  }
  scratch_ = std::make_unique<ScratchDirectory>(settings_.state_dir, checked_.marker.id);
  for (const fs::path& foreign : scratch_->foreign()) {
    status_.kept.push_back(fmt::format("{} is not of this version and was kept; remove it if it is of no use",
                                       foreign.string()));
  }
  for (const std::string& notice : status_.kept) show(stderr, "tandem: {}\n", notice);
}

void Service::make_runner() {
  host_.scratch = scratch_->path();
  host_.cpus = checked_.cpus;
  host_.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings_.benchmark_timeout);
  isolate();
  host_runner_ = std::make_unique<runners::HostPairRunner>(host_);
  const auto look = [this](const runners::LaunchPlan*, const std::stop_token&) {
    if (look_) look_();
    return nullptr;
  };
  runner_ = std::make_unique<runners::HookedRunner>(
      *host_runner_, std::vector<runners::RunnerHook>{{.before = look}, hold_measuring_lock()});
}

void Service::make_walks() {
  if (const auto wanted = harness::reporters_of(settings_.harness, settings_.state_dir);
      names_a_reporter(wanted))
    reporters_ = std::make_unique<harness::Reporters>(wanted);
  std::function<void(const RunRecord&)> report_to;
  if (reporters_) report_to = [this](const RunRecord& record) { report(record); };
  std::shared_ptr<builders::CacheBudget> budget;
  if (settings_.cache_budget > 0) {
    budget = std::make_shared<builders::CacheBudget>(settings_.exec_dir, settings_.cache_budget,
                                                     commits_of_living(*store_));
  }
  for (const auto& watch : settings_.watches) {
    walks_.push_back(std::make_unique<WatchWalk>(
        WatchContext{settings_, installation_, checked_.isolation, host_.cpus, *runner_, *store_, *publisher_,
                     status_, [this] { show_status(); }, report_to, scratch_->path(), budget,
                     [this] { try_isolation_again(); }},
        watch));
    for (const std::string& notice : walks_.back()->notices()) show(stderr, "tandem: {}\n", notice);
  }
}

runners::RunnerHook Service::hold_measuring_lock() {
  const auto waiting = [this](const std::string& holder) {
    status_.phase = fmt::format("waiting: {} is measuring on this host", holder);
    show_status();
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

void Service::isolate() {
  status_.isolation = checked_.isolation.sentence;
  status_.isolation_facts = checked_.isolation.facts;
  isolate_benchmarks(checked_.isolation, settings_, host_);
}

void Service::try_isolation_again() {
  if (checked_.isolation.tools || settings_.sandbox != config::Isolation::automatic) return;
  auto tried = try_sandbox(installation_.shim);
  auto* isolation = std::get_if<Isolation>(&tried);
  if (isolation == nullptr) return;
  checked_.isolation = std::move(*isolation);
  isolate();
  host_runner_->use(host_);
  for (const auto& walk : walks_) walk->take_isolation();
  show_status();
}

void Service::show_status() {
  if (show_) show_(status_);
  const bool news = status_.phase != published_phase_ || status_.commit.id != published_commit_;
  const auto age = std::chrono::steady_clock::now() - published_at_;
  if (news || age >= std::chrono::seconds{1}) publish_status();
}

void Service::publish_status() {
  published_at_ = std::chrono::steady_clock::now();
  published_phase_ = status_.phase;
  published_commit_ = status_.commit.id;
  status_.updated_at = now_seconds();
  try {
    publisher_->publish_status(report::status_json(status_));
  } catch (const std::exception&) {
    // A full disk: the old status stays until there is room again, and the walk says what it met.
  }
}

void Service::publish_end() {
  status_.phase = "stopped";
  status_.benchmark.clear();
  publish_status();
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
