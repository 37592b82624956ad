#include "runners/pairing/hooked_runner.hpp"

namespace tandem::runners {
namespace {

RunFailure stopped_before_the_call() {
  return {Side::control, 0, RunFailure::Reason::stopped, "stopped"};
}

}  // namespace

HookedRunner::Held HookedRunner::prepare(const LaunchPlan* launch, const std::stop_token& stop) const {
  Held held;
  for (const RunnerHook& hook : hooks_) {
    if (hook.before && !stop.stop_requested()) held.push_back(hook.before(launch, stop));
  }
  return held;
}

std::variant<ProgramFacts, RunFailure> HookedRunner::inspect(const ProgramPair& pair, Side side,
                                                             std::stop_token stop) {
  const Held held = prepare(nullptr, stop);
  if (stop.stop_requested()) return stopped_before_the_call();
  return runner_.inspect(pair, side, std::move(stop));
}

std::variant<BenchmarkFacts, RunFailure> HookedRunner::look_at(const ProgramPair& pair,
                                                               const std::string& benchmark,
                                                               std::stop_token stop) {
  const Held held = prepare(nullptr, stop);
  if (stop.stop_requested()) return stopped_before_the_call();
  return runner_.look_at(pair, benchmark, std::move(stop));
}

LaunchResult HookedRunner::launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                  std::stop_token stop) {
  const Held held = prepare(&plan, stop);
  if (stop.stop_requested()) return stopped_before_the_call();
  LaunchResult result = runner_.launch(pair, subject, plan, std::move(stop));
  for (const RunnerHook& hook : hooks_) {
    if (hook.after_launch) hook.after_launch(result);
  }
  return result;
}

}  // namespace tandem::runners
