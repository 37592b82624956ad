#include "daemon/fake_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem::tests {
namespace {

using runners::Launch;
using runners::LaunchResult;
using runners::ProgramPair;
using runners::Protocol;
using runners::RunFailure;
using runners::Side;

Call call_of(Call::Kind kind, const ProgramPair& pair, std::string benchmark) {
  return {kind,
          pair.control.filename(),
          pair.treatment.filename(),
          std::move(benchmark),
          pair.control.parent_path().filename(),
          pair.treatment.parent_path().filename()};
}

/// Both orders once, as the runner balances them; whole processes give one value a side.
Launch launch_with(double log_ratio, const Call& call, Protocol protocol) {
  Launch launch;
  launch.index = call.plan.index;
  launch.first_slot = call.plan.first_slot;
  const std::size_t values = protocol == Protocol::slices ? 2 : 1;
  launch.control.assign(values, 1000.0);
  launch.treatment.assign(values, 1000.0 * std::exp(log_ratio));
  if (protocol == Protocol::slices) launch.first = {Side::control, Side::treatment};
  return launch;
}

}  // namespace

RunFailure crash_of(Side side) {
  return {side, 0, RunFailure::Reason::crashed,
          fmt::format("{} was killed by signal 11 (Segmentation fault)", name_of(side))};
}

std::vector<Call> FakeRunner::launches() const {
  std::vector<Call> found;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(found),
               [](const Call& call) { return call.kind == Call::Kind::launch; });
  return found;
}

std::size_t FakeRunner::launches_of(const std::string& control, const std::string& treatment) const {
  return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), [&](const Call& call) {
    return call.kind == Call::Kind::launch && call.control == control && call.treatment == treatment;
  }));
}

std::optional<RunFailure> FakeRunner::receive(Call call, const std::stop_token& stop) {
  calls.push_back(std::move(call));
  if (before_call) before_call();
  if (stop.stop_requested()) return RunFailure{Side::control, 0, RunFailure::Reason::stopped, "stopped"};
  return fails ? fails(calls.back()) : std::nullopt;
}

std::variant<runners::ProgramFacts, RunFailure> FakeRunner::inspect(const ProgramPair& pair, Side side,
                                                                    std::stop_token stop) {
  if (auto failure = receive(call_of(Call::Kind::inspect, pair.both(side), {}), stop)) return *failure;
  runners::ProgramFacts facts;
  facts.protocol = protocol;
  facts.benchmarks = benchmarks(pair.of(side).filename());
  facts.metrics.assign(facts.benchmarks.size(), metric);
  return facts;
}

std::variant<runners::BenchmarkFacts, RunFailure> FakeRunner::look_at(const ProgramPair& pair,
                                                                      const std::string& benchmark,
                                                                      std::stop_token stop) {
  if (auto failure = receive(call_of(Call::Kind::look_at, pair, benchmark), stop)) return *failure;
  return benchmark_facts;
}

LaunchResult FakeRunner::launch(const ProgramPair& pair, const runners::Subject& subject,
                                const runners::LaunchPlan& plan, std::stop_token stop) {
  Call call = call_of(Call::Kind::launch, pair, subject.benchmark);
  call.plan = plan;
  call.count = counts_[call.control + "\n" + call.treatment + "\n" + call.benchmark]++;
  if (auto failure = receive(call, stop)) return *failure;
  const auto names = subject.protocol == Protocol::slices ? std::vector<std::string>{subject.benchmark}
                                                          : benchmarks(call.treatment);
  std::vector<runners::Sampled> all;
  for (const std::string& name : names) {
    call.benchmark = name;
    Launch launch = samples ? samples(call) : launch_with(log_ratio(call), call, subject.protocol);
    if (plan.only) (*plan.only == Side::control ? launch.treatment : launch.control).clear();
    if (plan.only) launch.first.clear();
    all.push_back({name, metric, std::move(launch)});
    for (const auto& [other, ratio] : further) {
      const bool changed = call.control != call.treatment;
      all.push_back({name, other, launch_with(changed ? ratio : 0, call, Protocol::command)});
    }
    for (const Beside& one : beside ? beside(call) : std::vector<Beside>{}) {
      Launch values = launch_with(0, call, Protocol::command);
      values.control = {one.control};
      values.treatment = {one.treatment};
      all.push_back({name, one.metric, std::move(values)});
    }
  }
  return all;
}

}  // namespace tandem::tests
