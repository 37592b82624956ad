#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "runners/pairing/measuring_lock.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// A runner that holds the host's measuring lock for each call and lets others measure in between. A person
/// who waits for the lock has it before the next call.
class PoliteRunner final : public runners::PairRunner {
 public:
  using Waiting = std::function<void(const std::string& holder)>;
  using Uncoordinated = std::function<void(const std::string& sentence)>;
  /// `uncoordinated` is told once that there is no lock to be had, and why.
  PoliteRunner(runners::PairRunner& runner, Waiting waiting, Uncoordinated uncoordinated = {})
      : runner_(runner), waiting_(std::move(waiting)), uncoordinated_(std::move(uncoordinated)) {}

  [[nodiscard]] std::variant<runners::ProgramFacts, runners::RunFailure> inspect(
      const runners::ProgramPair& pair, runners::Side side, std::stop_token stop) override {
    const runners::MeasuringLock lock(waiting_, stop, runners::MeasuringLock::Asker::daemon);
    tell(lock);
    return runner_.inspect(pair, side, stop);
  }
  [[nodiscard]] std::variant<runners::BenchmarkFacts, runners::RunFailure> look_at(
      const runners::ProgramPair& pair, const std::string& benchmark, std::stop_token stop) override {
    const runners::MeasuringLock lock(waiting_, stop, runners::MeasuringLock::Asker::daemon);
    tell(lock);
    return runner_.look_at(pair, benchmark, stop);
  }
  [[nodiscard]] runners::LaunchResult launch(const runners::ProgramPair& pair,
                                             const runners::Subject& subject, const runners::LaunchPlan& plan,
                                             std::stop_token stop) override {
    const runners::MeasuringLock lock(waiting_, stop, runners::MeasuringLock::Asker::daemon);
    tell(lock);
    return runner_.launch(pair, subject, plan, stop);
  }

 private:
  void tell(const runners::MeasuringLock& lock) {
    if (lock.uncoordinated().empty() || !uncoordinated_) return;
    std::exchange(uncoordinated_, {})(lock.uncoordinated());
  }

  runners::PairRunner& runner_;
  Waiting waiting_;
  Uncoordinated uncoordinated_;
};

/// A runner that looks around before every call, between launches and never beside one. If it is asked to
/// stop by what it saw, the call is not made.
class WatchfulRunner final : public runners::PairRunner {
 public:
  explicit WatchfulRunner(runners::PairRunner& runner) : runner_(runner) {}

  /// What to do before each call; empty: nothing.
  void look_with(std::function<void()> look) { look_ = std::move(look); }

  [[nodiscard]] std::variant<runners::ProgramFacts, runners::RunFailure> inspect(
      const runners::ProgramPair& pair, runners::Side side, std::stop_token stop) override {
    if (stops(stop)) return stopped();
    return runner_.inspect(pair, side, stop);
  }
  [[nodiscard]] std::variant<runners::BenchmarkFacts, runners::RunFailure> look_at(
      const runners::ProgramPair& pair, const std::string& benchmark, std::stop_token stop) override {
    if (stops(stop)) return stopped();
    return runner_.look_at(pair, benchmark, stop);
  }
  [[nodiscard]] runners::LaunchResult launch(const runners::ProgramPair& pair,
                                             const runners::Subject& subject, const runners::LaunchPlan& plan,
                                             std::stop_token stop) override {
    if (stops(stop)) return stopped();
    return runner_.launch(pair, subject, plan, stop);
  }

 private:
  bool stops(const std::stop_token& stop) const {
    if (look_ && !stop.stop_requested()) look_();
    return stop.stop_requested();
  }
  static runners::RunFailure stopped() {
    return {runners::Side::control, 0, runners::RunFailure::Reason::stopped, "stopped"};
  }

  runners::PairRunner& runner_;
  std::function<void()> look_;
};

}  // namespace tandem::daemon
