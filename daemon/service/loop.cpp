#include "daemon/service/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "builders/toolchain.hpp"
#include "daemon/idle/environment.hpp"
#include "daemon/idle/status_facts.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/service/between_rounds.hpp"
#include "daemon/service/service.hpp"
#include "daemon/service/storage_rules.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

/// A store that cannot be read now is no reason to end: it is said, and the walk meets it again.
void show_facts(const store::Store& store, Status& status, const config::Settings& settings) {
  try {
    show_store(status, store, now_seconds());
    show_storage(status, store, settings);
  } catch (const Error& error) {
    status.last_error = error.what();
    status.last_error_at = now_seconds();
  }
}

/// What results depend on beside the commits may have changed since the last round.
void look_around(store::Store& store, Status& status, const config::Settings& settings) {
  try {
    const std::string toolchain = builders::describe_toolchain(builders::BuildSettings{}.search_path);
    note_environment(store, {}, environment_of(runners::read_machine_facts(), toolchain), now_seconds());
  } catch (const Error& error) {
    status.last_error = error.what();
    status.last_error_at = now_seconds();
  }
  show_facts(store, status, settings);
}

/// What goes wrong in a round is shown and tried again later: one bad minute of a disk or a server must not
/// end a service. Wrong input in the first round does end it, and so does anything with `--once`.
class Rounds {
 public:
  Rounds(Service& service, bool once) : service_(service), once_(once) {}

  void begin() { failed_ = false; }
  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const InputError&) {
      if (once_ || first_) throw;
      note(std::current_exception());
    } catch (const std::exception&) {
      if (once_) throw;
      note(std::current_exception());
    }
  }
  /// Waits the longer the more rounds in a row have failed.
  void end(std::chrono::duration<double> interval) {
    first_ = false;
    failures_ = failed_ ? failures_ + 1 : 0;
    if (!failed_) return;
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    const auto pause = back_off(failures_, std::min(interval, std::chrono::duration<double>(60)), 0.5);
    condition.wait_for(lock, service_.stop(), pause, [] { return false; });
  }

 private:
  void note(const std::exception_ptr& failure) {
    failed_ = true;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      service_.note("round", error.what());
    }
    service_.board().show();
  }

  Service& service_;
  bool once_;
  bool first_ = true;
  bool failed_ = false;
  std::size_t failures_ = 0;
};

}  // namespace

int run_daemon(const config::Settings& settings, const Installation& installation, const Watcher& watcher,
               std::stop_token outer_stop) {
  Service service(settings, installation, watcher, outer_stop);
  const std::stop_token stop = service.stop();
  Status& status = service.status();
  int code = 0;
  BetweenRounds between({settings, service.walks(),
                         [&](std::function<void()> look) { service.look_before_calls(std::move(look)); },
                         service.store(), status, [&] { service.board().publish(); }});
  try {
    Rounds rounds(service, settings.once);
    while (!stop.stop_requested()) {
      rounds.begin();
      between.begin_round();
      rounds.attempt([&] {
        service.try_isolation_again();
        look_around(service.store(), status, settings);
      });
      code = 0;
      // A watch that fails must not keep the others from their turn.
      for (const auto& walk : service.walks()) {
        if (stop.stop_requested()) break;
        rounds.attempt([&] {
          walk->serve_requests(stop);
          const auto ended = walk->walk(stop);
          if (settings.once && ended != WatchWalk::Ended::stopped) walk->serve_what_is_due(stop);
          service.deliver_results();
          if (settings.once && ended != WatchWalk::Ended::stopped)
            code = more_pressing(code, walk->exit_code(ended));
        });
      }
      if (stop.stop_requested()) break;
      rounds.attempt([&] {
        show_facts(service.store(), status, settings);
        between.spend(stop);
      });
      if (settings.once) break;
      rounds.end(settings.interval);
    }
  } catch (const Error& failure) {
    status.last_error = failure.what();
    status.last_error_at = now_seconds();
    service.board().stop();
    throw;
  }
  service.board().stop();
  return settings.once && !stop.stop_requested() ? code : 0;
}

Request run_request(const config::Settings& settings, const Installation& installation,
                    const Watcher& watcher, Request request, std::stop_token outer_stop) {
  Service service(settings, installation, watcher, outer_stop);
  request.id = service.store().add_request(request);
  for (const auto& walk : service.walks()) {
    if (walk->name() == request.key.watch) walk->serve(request, service.stop());
  }
  if (request.state == Request::State::waiting) {
    request.state = Request::State::failed;
    request.code = 4;
    request.answer = service.stop().stop_requested() ? "stopped" : service.status().last_error;
    service.store().update_request(request);
  }
  service.board().stop();
  return request;
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
