#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "daemon/harness/reporter.hpp"
#include "daemon/records/state_files.hpp"
#include "daemon/service/event_loop.hpp"
#include "daemon/service/installation.hpp"
#include "daemon/service/isolation.hpp"
#include "daemon/service/state_directory.hpp"
#include "daemon/service/watch_walk.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/publish.hpp"
#include "runners/pairing/hooked_runner.hpp"
#include "specs/foundation/file_lock.hpp"

namespace tandem::daemon {

/// What work in a state directory needs, as long as it lasts: its lock, store, status, runner and watches.
/// What a killed daemon left is put in order first.
///
/// Throws InputError if a setting is wrong or the state directory is somebody else's, before anything is made
/// or removed; Error if another process has the lock.
class Service {
 public:
  /// All of them outlive it.
  Service(const config::Settings& settings, const Installation& installation, const ShowStatus& show,
          EventLoop& events);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] std::stop_token stop() const { return events_.stop_token(); }
  [[nodiscard]] store::Store& store() { return *store_; }
  [[nodiscard]] Status& status() { return status_; }
  [[nodiscard]] const std::vector<std::unique_ptr<WatchWalk>>& walks() const { return walks_; }

  /// Tells the person who looks on, and writes status.json: at most once a second, or if the phase is new.
  void show_status();
  /// Writes it now.
  void publish_status();
  /// The last thing that is written, however the daemon ends.
  void publish_end();

  /// As long as the result lives, `look` is done before each call of the runner, never beside one.
  [[nodiscard]] std::shared_ptr<void> look_before_calls(std::function<void()> look);
  /// Sends what waits for the server of the remote reporter. What fails is an event and stays in the spool.
  void deliver_results();
  /// Where no sandbox could be made: from now on there is one, if it can be made now. Between commits only.
  void try_isolation_again();
  /// Shows a failure as the last error, and keeps it as an event if the store can be written.
  void note(const std::string& kind, const std::string& sentence);

 private:
  void open_state();
  void make_runner();
  void make_walks();
  void report(const RunRecord& record);
  /// Holds the host's measuring lock during each call. A person who waits for it has it before the next one.
  runners::RunnerHook hold_measuring_lock();
  void isolate();  ///< tells the status and the runner's settings which isolation is in force

  /// What must be right before anything is made.
  struct Checked {
    Isolation isolation;
    runners::CpuChoice cpus;
    report::StateMarker marker;
  };
  static Checked check(const config::Settings& settings, const Installation& installation);

  const config::Settings& settings_;
  const Installation& installation_;
  const ShowStatus& show_;
  EventLoop& events_;
  Checked checked_;
  FileLock lock_;
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<store::Store> store_;
  Status status_;
  std::chrono::steady_clock::time_point published_at_{};
  std::string published_phase_;
  std::string published_commit_;
  std::unique_ptr<harness::Reporters> reporters_;  ///< nothing: none is asked for
  std::unique_ptr<ScratchDirectory> scratch_;
  runners::HostSettings host_;
  std::unique_ptr<runners::HostPairRunner> host_runner_;
  std::function<void()> look_;
  std::unique_ptr<runners::HookedRunner> runner_;
  std::vector<std::unique_ptr<WatchWalk>> walks_;
};

}  // namespace tandem::daemon
