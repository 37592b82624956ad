#include "daemon/service/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "builders/toolchain.hpp"
#include "daemon/idle/status_facts.hpp"
#include "daemon/records/comparison.hpp"
#include "daemon/service/service.hpp"
#include "daemon/service/storage_rules.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

using Clock = EventLoop::Clock;

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

/// Hears requests come in. Each is heard once: one that cannot be served now waits for the next round.
class RequestWatch {
 public:
  RequestWatch(const store::Store& store, Status& status) : store_(store), status_(status) {}

  /// Asks the store at most once a second. One that cannot be read has none; the status says so.
  [[nodiscard]] bool sees_new_ones() {
    const auto now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + std::chrono::seconds{1};
    bool news = false;
    try {
      for (const Request& request : store_.waiting_requests()) {
        news = news || request.id > newest_seen_;
        newest_seen_ = std::max(newest_seen_, request.id);
      }
    } catch (const Error& error) {
      status_.last_error = error.what();
      status_.last_error_at = now_seconds();
      return false;
    }
    return news;
  }

 private:
  const store::Store& store_;
  Status& status_;
  Clock::time_point next_look_{};
  std::int64_t newest_seen_ = 0;
};

/// Walks all watches in rounds. Between two of them there is idle work, and waiting when none is left; a
/// request or, when the interval has passed, a new commit ends both at once, between two launches.
///
/// What goes wrong in a round is shown and tried again later: one bad minute of a disk or a server must not
/// end a service. Wrong input in the first round does end it, and so does anything with `--once`.
class Rounds {
 public:
  Rounds(Service& service, const config::Settings& settings, EventLoop& events)
      : service_(service),
        settings_(settings),
        events_(events),
        status_(service.status()),
        stop_(events.stop_token()),
        requests_(service.store(), status_) {}

  int run() {
    int code = 0;
    while (!stop_.stop_requested()) {
      failed_ = false;
      begin_interval();
      attempt([&] {
        service_.try_isolation_again();
        look_around(service_.store(), status_, settings_);
      });
      code = walk();
      if (stop_.stop_requested()) break;
      attempt([&] {
        show_facts(service_.store(), status_, settings_);
        pass_time();
      });
      if (settings_.once) break;
      rest_after_failures();
    }
    return settings_.once && !stop_.stop_requested() ? code : 0;
  }

 private:
  enum class Woken { by_request, by_round, by_nothing };

  void begin_interval() {
    next_round_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(settings_.interval);
  }

  /// The exit code of one pass.
  int walk() {
    int code = 0;
    // A watch that fails must not keep the others from their turn.
    for (const auto& walk : service_.walks()) {
      if (stop_.stop_requested()) break;
      attempt([&] {
        walk->serve_requests(stop_);
        const auto ended = walk->walk(stop_);
        const bool finishes = settings_.once && ended != WatchWalk::Ended::stopped;
        if (finishes) walk->serve_what_is_due(stop_);
        service_.deliver_results();
        if (finishes) code = more_pressing(code, walk->exit_code(ended));
      });
    }
    return code;
  }

  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const InputError& error) {
      if (settings_.once || first_) throw;
      note_failure(error.what());
    } catch (const std::exception& error) {
      if (settings_.once) throw;
      note_failure(error.what());
    }
  }

  void note_failure(const char* sentence) {
    failed_ = true;
    service_.note("round", sentence);
    service_.show_status();
  }

  /// Returns when the next round is due; with `once`, when there is no idle work left, or at once where
  /// nothing is to be calibrated. Requests that come in meanwhile are served here.
  void pass_time() {
    while (!stop_.stop_requested()) {
      const bool idle_work = settings_.calibrate || !settings_.once;
      Woken woken = idle_work ? work_idly() : Woken::by_nothing;
      if (settings_.once) return;
      if (woken == Woken::by_nothing) woken = wait();
      if (woken != Woken::by_request) return;
      for (const auto& walk : service_.walks()) walk->serve_requests(stop_);
    }
  }

  Woken work_idly() {
    std::stop_source leaving;
    const std::stop_callback forward(stop_, [&] { leaving.request_stop(); });
    Woken woken = Woken::by_nothing;
    const auto look = [&] {
      if (settings_.once || woken != Woken::by_nothing) return;
      woken = look_for_work();
      if (woken != Woken::by_nothing) leaving.request_stop();
    };
    const auto looking = service_.look_before_calls(look);
    for (auto walk = service_.walks().begin(); walk != service_.walks().end() && !leaving.stop_requested();) {
      const IdleTime::Spent spent = (*walk)->spend_idle_step(leaving.get_token());
      // One that fails, or is stopped by something else, would do so again at once.
      const bool made = spent != IdleTime::Spent::nothing_to_do && spent != IdleTime::Spent::failed &&
                        spent != IdleTime::Spent::stopped;
      if (!made) ++walk;
      look();
    }
    return woken;
  }

  /// Whether idle work is to be left, and for what.
  Woken look_for_work() {
    if (requests_.sees_new_ones()) return Woken::by_request;
    if (Clock::now() < next_round_) return Woken::by_nothing;
    const std::string phase = status_.phase;
    const bool news = std::any_of(service_.walks().begin(), service_.walks().end(),
                                  [&](const auto& walk) { return walk->has_news(stop_); });
    status_.phase = phase;
    if (news) return Woken::by_round;
    begin_interval();
    return Woken::by_nothing;
  }

  Woken wait() {
    status_.phase = "waiting";
    service_.publish_status();
    const bool request = events_.wait_until(next_round_, [&] { return requests_.sees_new_ones(); });
    return request ? Woken::by_request : Woken::by_round;
  }

  /// Waits the longer the more rounds in a row have failed.
  void rest_after_failures() {
    first_ = false;
    failures_ = failed_ ? failures_ + 1 : 0;
    if (!failed_) return;
    const auto first = std::min(settings_.interval, std::chrono::duration<double>(60));
    const auto pause = back_off(failures_, first, 0.5);
    events_.wait_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(pause));
  }

  Service& service_;
  const config::Settings& settings_;
  EventLoop& events_;
  Status& status_;
  const std::stop_token stop_;
  RequestWatch requests_;
  Clock::time_point next_round_{};
  bool first_ = true;
  bool failed_ = false;
  std::size_t failures_ = 0;  ///< rounds in a row
};

}  // namespace

int run_daemon(const config::Settings& settings, const Installation& installation, const ShowStatus& show,
               EventLoop& events) {
  Service service(settings, installation, show, events);
  int code = 0;
  try {
    code = Rounds(service, settings, events).run();
  } catch (const Error& failure) {
    service.status().last_error = failure.what();
    service.status().last_error_at = now_seconds();
    service.publish_end();
    throw;
  }
  service.publish_end();
  return code;
}

Request run_request(const config::Settings& settings, const Installation& installation,
                    const ShowStatus& show, Request request, EventLoop& events) {
  Service service(settings, installation, show, events);
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
  service.publish_end();
  return request;
}

}  // namespace tandem::daemon
