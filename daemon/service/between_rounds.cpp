#include "daemon/service/between_rounds.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

constexpr std::chrono::seconds look_every{1};

}  // namespace

bool RequestBell::rings() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return false;
  next_look_ = now + look_every;
  bool news = false;
  try {
    for (const Request& request : store_.waiting_requests()) {
      news = news || request.id > last_heard_;
      last_heard_ = std::max(last_heard_, request.id);
    }
  } catch (const Error& error) {
    status_.last_error = error.what();
    status_.last_error_at = now_seconds();
    return false;
  }
  return news;
}

void BetweenRounds::begin_round() {
  next_round_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(ground_.settings.interval);
}

void BetweenRounds::spend(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const bool idle_work = ground_.settings.calibrate || !ground_.settings.once;
    Woken woken = idle_work ? work(stop) : Woken::by_nothing;
    if (ground_.settings.once) return;
    if (woken == Woken::by_nothing) woken = wait(stop);
    if (woken != Woken::by_request) return;
    for (const auto& walk : ground_.walks) walk->serve_requests(stop);
  }
}

BetweenRounds::Woken BetweenRounds::look(const std::stop_token& stop) {
  if (bell_.rings()) return Woken::by_request;
  if (Clock::now() < next_round_) return Woken::by_nothing;
  const std::string phase = ground_.status.phase;
  const bool news = std::any_of(ground_.walks.begin(), ground_.walks.end(),
                                [&](const auto& walk) { return walk->has_news(stop); });
  ground_.status.phase = phase;
  if (news) return Woken::by_round;
  begin_round();
  return Woken::by_nothing;
}

BetweenRounds::Woken BetweenRounds::work(const std::stop_token& stop) {
  std::stop_source leaving;
  const std::stop_callback forward(stop, [&] { leaving.request_stop(); });
  Woken woken = Woken::by_nothing;
  const auto look_around = [&] {
    if (ground_.settings.once || woken != Woken::by_nothing) return;
    woken = look(stop);
    if (woken != Woken::by_nothing) leaving.request_stop();
  };
  ground_.look_before_calls(look_around);
  const std::shared_ptr<void> end_looking(nullptr, [&](void*) { ground_.look_before_calls({}); });
  for (auto walk = ground_.walks.begin(); walk != ground_.walks.end() && !leaving.stop_requested();) {
    const IdleTime::Spent spent = (*walk)->spend_idle_step(leaving.get_token());
    // One that fails, or is stopped by something else, would do so again at once.
    const bool made = spent != IdleTime::Spent::nothing_to_do && spent != IdleTime::Spent::failed &&
                      spent != IdleTime::Spent::stopped;
    if (!made) ++walk;
    look_around();
  }
  return woken;
}

BetweenRounds::Woken BetweenRounds::wait(const std::stop_token& stop) {
  ground_.status.phase = "waiting";
  ground_.publish();
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    if (bell_.rings()) return Woken::by_request;
    const auto now = Clock::now();
    if (now >= next_round_) return Woken::by_round;
    condition.wait_until(lock, stop, std::min(next_round_, now + look_every), [] { return false; });
  }
  return Woken::by_round;
}

}  // namespace tandem::daemon
