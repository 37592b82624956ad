#include "daemon/loop.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "daemon/polite_runner.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/status_report.hpp"
#include "daemon/wall_clock.hpp"
#include "daemon/watch_walk.hpp"
#include "runners/file_lock.hpp"
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

/// FAI-PEP's stop file: the daemon ends when its content is 0.
bool asks_to_stop(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word && word == "0";
}

/// Asks for a stop when the stop file does; ends with its scope.
class StopFile {
 public:
  StopFile(fs::path file, std::stop_source& stop) {
    if (file.empty()) return;
    watcher_ = std::jthread([file = std::move(file), &stop](const std::stop_token& leaving) {
      std::mutex mutex;
      std::condition_variable_any condition;
      std::unique_lock lock(mutex);
      while (!leaving.stop_requested()) {
        if (asks_to_stop(file)) stop.request_stop();
        condition.wait_for(lock, leaving, std::chrono::seconds{1}, [] { return false; });
      }
    });
  }

 private:
  std::jthread watcher_;
};

/// Writes status.json at most once a second, and tells the person who looks on.
class StatusBoard {
 public:
  StatusBoard(const Publisher& publisher, Status& status, const Watcher& watcher)
      : publisher_(publisher), status_(status), watcher_(watcher) {}

  void show() {
    if (watcher_) watcher_(status_);
    const auto now = Clock::now();
    const bool news = status_.phase != phase_ || status_.commit.id != commit_;
    if (!news && now - last_ < std::chrono::seconds{1}) return;
    publish();
  }

  /// The last thing that is written, however the daemon ends.
  void stop() {
    status_.phase = "stopped";
    status_.benchmark.clear();
    publish();
  }

  void publish() {
    last_ = Clock::now();
    phase_ = status_.phase;
    commit_ = status_.commit.id;
    status_.updated_at = now_seconds();
    try {
      publisher_.publish_status(report::status_json(status_));
    } catch (const std::exception&) {
      // A full disk: the old status stays until there is room again, and the walk says what it met.
    }
  }

 private:
  const Publisher& publisher_;
  Status& status_;
  const Watcher& watcher_;
  Clock::time_point last_{};
  std::string phase_;
  std::string commit_;
};

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

/// Of several watches the most pressing answer: 1, then 4, then 3, then 0.
int more_pressing(int one, int other) {
  for (const int code : {1, 4, 3}) {
    if (one == code || other == code) return code;
  }
  return 0;
}

/// Calibrates benchmark by benchmark, until all are or until it is time to look for new commits; one of them
/// in any case, because a short interval would leave no time at all.
void spend_idle_time(const std::vector<std::unique_ptr<WatchWalk>>& walks,
                     const std::optional<Clock::time_point>& until, const std::stop_token& stop) {
  for (auto walk = walks.begin(); walk != walks.end() && !stop.stop_requested();) {
    if ((*walk)->calibrate_next(stop) == IdleTime::Spent::nothing_to_do) {
      ++walk;
    } else if (until && Clock::now() >= *until) {
      return;
    }
  }
}

}  // namespace

int run_daemon(const config::Settings& settings, const Installation& installation, const Watcher& watcher,
               std::stop_token outer_stop) {
  std::error_code error;
  fs::create_directories(settings.state_dir, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", settings.state_dir.string(), error.message()));
  runners::FileLock lock(settings.state_dir / "daemon.lock");
  if (!lock_soon(lock, outer_stop)) {
    throw Error(fmt::format("{} is the daemon of {}; stop it or choose another --state_dir", lock.holder(),
                            settings.state_dir.string()));
  }
  std::stop_source stop_source;
  const std::stop_callback forward(outer_stop, [&] { stop_source.request_stop(); });
  const StopFile stop_file(settings.status_file, stop_source);
  const std::stop_token stop = stop_source.get_token();

  clear_leftovers(settings.state_dir);
  const Publisher publisher(settings.state_dir);
  store::Store store(settings.state_dir / "tandem.db", store::Store::Mode::write);
  restore_reports(publisher, store);
  Status status;
  status.version = installation.version;
  status.pid = ::getpid();
  const Isolation isolation = choose_isolation(settings.sandbox, installation.shim);
  status.isolation = isolation.sentence;
  StatusBoard board(publisher, status, watcher);
  runners::HostSettings host;
  host.scratch = settings.state_dir / "scratch";
  fs::create_directories(host.scratch, error);
  host.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(settings.benchmark_timeout);
  host.sandbox = benchmark_sandbox(isolation, settings);
  if (host.sandbox) host.environment = benchmark_environment();
  runners::HostPairRunner host_runner(host);
  PoliteRunner runner(host_runner, [&](const std::string& holder) {
    status.phase = fmt::format("waiting: {} is measuring on this host", holder);
    board.show();
  });

  std::vector<std::unique_ptr<WatchWalk>> walks;
  for (const auto& watch : settings.watches) {
    walks.push_back(
        std::make_unique<WatchWalk>(WalkGround{settings, installation, isolation, host.cpus, runner, store,
                                               publisher, status, [&] { board.show(); }},
                                    watch));
    for (const std::string& notice : walks.back()->notices()) fmt::print(stderr, "tandem: {}\n", notice);
  }

  int code = 0;
  try {
    while (!stop.stop_requested()) {
      const auto next = Clock::now() + std::chrono::duration_cast<Clock::duration>(settings.interval);
      code = 0;
      for (auto& walk : walks) {
        const auto ended = walk->walk(stop);
        if (ended == WatchWalk::Ended::stopped) break;
        if (settings.once) code = more_pressing(code, walk->exit_code(ended));
      }
      if (settings.calibrate && !stop.stop_requested()) {
        spend_idle_time(walks, settings.once ? std::nullopt : std::optional(next), stop);
      }
      if (settings.once || stop.stop_requested()) break;
      status.phase = "waiting";
      board.publish();
      wait_for(next, stop);
    }
  } catch (const Error& failure) {
    status.last_error = failure.what();
    status.last_error_at = now_seconds();
    board.stop();
    throw;
  }
  board.stop();
  return settings.once && !stop.stop_requested() ? code : 0;
}

Installation find_installation() {
  Installation installation;
  std::error_code error;
  installation.program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("cannot find this program's own file");
  const fs::path installed = installation.program.parent_path().parent_path() / "share" / "tandem";
  const fs::path tree = installation.program.parent_path().parent_path().parent_path();
  const bool is_installed = fs::exists(installed / "sdk" / "tandem.hpp", error);
  installation.sdk_dir = is_installed ? installed / "sdk" : tree / "runners" / "sdk";
  installation.frameworks_dir = is_installed ? installed / "frameworks" : tree / "specs" / "frameworks";
  const fs::path libexec =
      (is_installed ? installed.parent_path().parent_path() : installation.program.parent_path()) /
      "libexec" / "tandem";
  installation.shim = libexec / "tandem-shim";
  installation.linker = libexec / "linker";
  installation.host_check = libexec / "tandem-host-check";
  return installation;
}

}  // namespace tandem::daemon
