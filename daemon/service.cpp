#include "daemon/service.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>

#include "daemon/harness/run_labels.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/wall_clock.hpp"
#include "runners/devices.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Removes what a killed daemon left: the copies of its last launch and half-written files.
void clear_leftovers(const fs::path& state_dir) {
  std::error_code error;
  fs::remove_all(state_dir / "scratch", error);
  std::vector<fs::path> folders = {state_dir};
  for (const auto& report : fs::directory_iterator(state_dir / "reports", error)) {
    folders.push_back(report.path());
  }
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".new") fs::remove(entry.path(), error);
    }
  }
}

/// A crash may come between a report's files and its entry in the store: then the store is right.
void restore_reports(const Publisher& publisher, const store::Store& store) {
  const auto records = store.records({});
  publisher.keep_only(records);
  for (const Record& record : records) {
    const fs::path folder = publisher.state_dir() / "reports" / record.id;
    const std::string json = report::record_json(record);
    const std::string markdown = report::record_markdown(record);
    if (whole(folder / "report.json") != json || whole(folder / "report.md") != markdown) {
      publisher.publish(record, json, markdown);
    }
  }
}

void wait_for(Clock::time_point time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  condition.wait_until(lock, stop, time, [] { return false; });
}

/// A daemon killed while it was starting a child leaves the lock to that child for a moment.
bool lock_soon(runners::FileLock& lock, const std::stop_token& stop) {
  const auto give_up = Clock::now() + std::chrono::seconds{1};
  while (!lock.try_lock()) {
    if (Clock::now() > give_up || stop.stop_requested()) return false;
    wait_for(Clock::now() + std::chrono::milliseconds{50}, stop);
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

/// The directory that the lock lies in.
fs::path made(const fs::path& state_dir) {
  std::error_code error;
  fs::create_directories(state_dir, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", state_dir.string(), error.message()));
  return state_dir;
}

}  // namespace

Service::Service(const config::Settings& settings, const Installation& installation, const Watcher& watcher,
                 const std::stop_token& stop)
    : lock_(made(settings.state_dir) / "daemon.lock"),
      forward_(stop, [this] { stop_source_.request_stop(); }),
      stop_file_(settings.status_file, stop_source_) {
  if (!lock_soon(lock_, stop)) {
    throw Error(fmt::format("{} is the daemon of {}; stop it or choose another --state_dir", lock_.holder(),
                            settings.state_dir.string()));
  }
  clear_leftovers(settings.state_dir);
  publisher_ = std::make_unique<Publisher>(settings.state_dir);
  store_ = std::make_unique<store::Store>(settings.state_dir / "tandem.db", store::Store::Mode::write);
  store_->let_running_requests_wait();
  restore_reports(*publisher_, *store_);
  status_.version = installation.version;
  status_.pid = ::getpid();
  isolation_ = choose_isolation(settings.sandbox, installation.shim);
  status_.isolation = isolation_.sentence;
  board_ = std::make_unique<StatusBoard>(*publisher_, status_, watcher);
  host_.scratch = settings.state_dir / "scratch";
  std::error_code error;
  fs::create_directories(host_.scratch, error);
  host_.cpus = one_device(settings.harness);
  host_.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.benchmark_timeout);
  host_.sandbox = benchmark_sandbox(isolation_, settings);
  if (host_.sandbox) host_.environment = benchmark_environment();
  host_runner_ = std::make_unique<runners::HostPairRunner>(host_);
  polite_ = std::make_unique<PoliteRunner>(*host_runner_, [this](const std::string& holder) {
    status_.phase = fmt::format("waiting: {} is measuring on this host", holder);
    board_->show();
  });
  runner_ = std::make_unique<WatchfulRunner>(*polite_);
  if (const auto wanted = harness::reporters_of(settings.harness, settings.state_dir);
      names_a_reporter(wanted))
    reporters_ = std::make_unique<reporters::Reporters>(wanted);
  std::function<void(const reporters::RunRecord&)> report_to;
  if (reporters_) report_to = [this](const reporters::RunRecord& record) { report(record); };
  for (const auto& watch : settings.watches) {
    walks_.push_back(std::make_unique<WatchWalk>(
        WalkGround{settings, installation, isolation_, host_.cpus, *runner_, *store_, *publisher_, status_,
                   [this] { board_->show(); }, report_to},
        watch));
    for (const std::string& notice : walks_.back()->notices()) fmt::print(stderr, "tandem: {}\n", notice);
  }
}

void Service::report(const reporters::RunRecord& record) {
  for (const std::string& sentence : reporters_->report(record)) note(sentence);
}

void Service::deliver_results() {
  if (!reporters_) return;
  if (const auto sentence = reporters_->deliver(stop())) note(*sentence);
}

/// A disk that is full must not end the service.
void Service::note(const std::string& sentence) {
  try {
    store_->add_event({"", "reporter", sentence, now_seconds()});
  } catch (const Error&) {
  }
  status_.last_error = sentence;
  status_.last_error_at = now_seconds();
}

}  // namespace tandem::daemon
