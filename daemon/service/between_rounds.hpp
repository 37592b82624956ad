#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "config/settings.hpp"
#include "daemon/service/watch_walk.hpp"

namespace tandem::daemon {

/// Hears requests come in. Each is heard once: one that cannot be served now waits for the next round.
class RequestBell {
 public:
  RequestBell(const store::Store& store, Status& status) : store_(store), status_(status) {}
  /// Asks the store at most once a second. One that cannot be read is silent; the status says so.
  [[nodiscard]] bool rings();

 private:
  const store::Store& store_;
  Status& status_;
  std::chrono::steady_clock::time_point next_look_{};
  std::int64_t last_heard_ = 0;
};

/// The time from the end of one round to the beginning of the next: idle work, and waiting when there is none
/// left. Between any two launches a request or, when the interval has passed, a new commit takes over at
/// once.
class BetweenRounds {
 public:
  using Clock = std::chrono::steady_clock;
  /// All of it outlives this.
  struct Ground {
    const config::Settings& settings;
    const std::vector<std::unique_ptr<WatchWalk>>& walks;
    /// Sets what is done before each call of the runner.
    std::function<void(std::function<void()>)> look_before_calls;
    const store::Store& store;
    Status& status;
    std::function<void()> publish;
  };
  explicit BetweenRounds(Ground ground) : ground_(std::move(ground)), bell_(ground_.store, ground_.status) {}

  void begin_round();
  /// Returns when the next round is due; with `once`, when there is no idle work left, or at once where
  /// nothing is to be calibrated. Requests that come in meanwhile are served here.
  void spend(const std::stop_token& stop);

 private:
  enum class Woken { by_request, by_round, by_nothing };
  Woken work(const std::stop_token& stop);
  Woken wait(const std::stop_token& stop);
  /// Whether the work at hand is to be left, and for what.
  Woken look(const std::stop_token& stop);

  Ground ground_;
  RequestBell bell_;
  Clock::time_point next_round_{};
};

}  // namespace tandem::daemon
