#pragma once

#include <functional>
#include <string>
#include <utility>

#include "runners/measuring_lock.hpp"
#include "runners/pair_runner.hpp"

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

}  // namespace tandem::daemon
