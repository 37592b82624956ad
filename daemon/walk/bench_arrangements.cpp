// How Bench measures each benchmark: by its calibration where there is one that holds.
#include "daemon/walk/bench.hpp"
#include "daemon/walk/host_fitness.hpp"

namespace tandem::daemon {

const Bench::Calibrations& Bench::calibrations() {
  if (calibrations_) return *calibrations_;
  Calibrations known;
  if (workshop_.host) known.host = workshop_.host();
  for (auto& stored : workshop_.store.calibrations(settings_.key)) {
    const std::string name = stored.calibration.benchmark;
    known.by_name.emplace(name, std::move(stored.calibration));
  }
  known.host_unfit = host_unfit(workshop_.store, known.host, workshop_.now());
  return calibrations_.emplace(std::move(known));
}

const analysis::Calibration* Bench::calibration_of(const std::string& benchmark) {
  const Calibrations& known = calibrations();
  const auto found = known.by_name.find(benchmark);
  const bool holds = found != known.by_name.end() && (known.host.empty() || found->second.host == known.host);
  return holds ? &found->second : nullptr;
}

analysis::Margin Bench::margin_of(const Test& test, const std::string& benchmark) {
  analysis::MarginFacts facts;
  facts.configured = test.margin;
  if (const auto* known = calibration_of(benchmark)) facts.layout_spread = known->layout_spread;
  const auto seconds = iteration_seconds_.find(benchmark);
  if (seconds != iteration_seconds_.end()) facts.seconds_per_iteration = seconds->second;
  analysis::Margin margin = analysis::margin_of(facts);
  if (seconds != iteration_seconds_.end()) return margin;
  // Before it was looked at, how long it takes is known from the margin that it was judged with.
  const auto before = workshop_.store.newest_margin(settings_.key, benchmark, specs::Metric{}.name);
  if (before && *before > margin.value) margin = {*before, "as in its last screen"};
  return margin;
}

Arranged Bench::arrange(const Trial& trial, const runners::BenchmarkFacts& facts) {
  const auto possible = possible_for(*trial.test, trial.protocol, facts, settings_.cpus);
  const Calibrations& known = calibrations();
  std::optional<analysis::Calibration> calibration;
  const auto found = known.by_name.find(trial.candidates.front().name);
  if (found != known.by_name.end()) calibration = found->second;
  return arranged(calibration, possible, known.host);
}

std::optional<PriorSigma> Bench::prior_of(const std::string& benchmark, const Arranged& arranged) {
  const auto* known = calibration_of(benchmark);
  if (arranged.prior && known != nullptr && known->chosen.pairing == arranged.screen.pairing) {
    const auto sigma = analysis::expected_sigma(*known);
    return PriorSigma{sigma.median, sigma.total};
  }
  const auto earlier = priors_.find(benchmark);
  return earlier == priors_.end() ? std::nullopt : std::optional(earlier->second);
}

std::string Bench::unfit(const std::string& benchmark) {
  if (!calibrations().host_unfit.empty()) return calibrations().host_unfit;
  const auto* known = calibration_of(benchmark);
  return known != nullptr ? known->unfit : std::string();
}

}  // namespace tandem::daemon
