// How Bench measures each benchmark: by its calibration where there is one that holds.
#include "daemon/bench.hpp"
#include "daemon/idle_time.hpp"

namespace tandem::daemon {

const Bench::Calibrations& Bench::calibrations() {
  if (calibrations_) return *calibrations_;
  Calibrations known;
  if (workshop_.host) known.host = workshop_.host();
  for (auto& stored : workshop_.store.calibrations(settings_.key)) {
    const std::string name = stored.calibration.benchmark;
    known.by_name.emplace(name, std::move(stored.calibration));
  }
  known.host_unfit = host_unfit(workshop_.store, known.host);
  return calibrations_.emplace(std::move(known));
}

Arranged Bench::arrange(const Trial& trial, const runners::BenchmarkFacts& facts) {
  const auto possible =
      runners::possible_arrangements(trial.protocol, facts, settings_.cpus, runners::available_memory());
  const Calibrations& known = calibrations();
  std::optional<analysis::Calibration> calibration;
  const auto found = known.by_name.find(trial.candidates.front().name);
  if (found != known.by_name.end()) calibration = found->second;
  return arranged(calibration, possible, known.host);
}

std::optional<PriorSigma> Bench::prior_of(const std::string& benchmark, const Arranged& arranged) {
  const Calibrations& known = calibrations();
  const auto found = known.by_name.find(benchmark);
  const bool holds = arranged.prior && found != known.by_name.end() &&
                     found->second.chosen.pairing == arranged.screen.pairing &&
                     (known.host.empty() || found->second.host == known.host);
  if (holds) {
    const auto sigma = analysis::expected_sigma(found->second);
    return PriorSigma{sigma.median, sigma.total};
  }
  const auto earlier = priors_.find(benchmark);
  return earlier == priors_.end() ? std::nullopt : std::optional(earlier->second);
}

std::string Bench::unfit(const std::string& benchmark) {
  const Calibrations& known = calibrations();
  if (!known.host_unfit.empty()) return known.host_unfit;
  const auto found = known.by_name.find(benchmark);
  const bool holds = found != known.by_name.end() && (known.host.empty() || found->second.host == known.host);
  return holds ? found->second.unfit : std::string();
}

}  // namespace tandem::daemon
