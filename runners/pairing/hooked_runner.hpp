#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "runners/pairing/pair_runner.hpp"

namespace tandem::runners {

/// What somebody does around the calls of a runner. Either function may be missing.
struct RunnerHook {
  /// Before each call; `launch` is the plan of a launch, and null before a look at a program. May wait, until
  /// the stop request at most. What it returns is kept until the call has ended: a lock, for example.
  std::function<std::shared_ptr<void>(const LaunchPlan* launch, const std::stop_token& stop)> before = {};
  /// After each launch that was made.
  std::function<void(const LaunchResult& result)> after_launch = {};
};

/// A runner with hooks around its calls, in their order. Once a stop is requested, by a hook or by anybody
/// else, neither a hook nor the call follows; its failure is `stopped`.
class HookedRunner final : public PairRunner {
 public:
  /// `runner` outlives it.
  HookedRunner(PairRunner& runner, std::vector<RunnerHook> hooks)
      : runner_(runner), hooks_(std::move(hooks)) {}

  [[nodiscard]] std::variant<ProgramFacts, RunFailure> inspect(const ProgramPair& pair, Side side,
                                                               std::stop_token stop) override;
  [[nodiscard]] std::variant<BenchmarkFacts, RunFailure> look_at(const ProgramPair& pair,
                                                                 const std::string& benchmark,
                                                                 std::stop_token stop) override;
  [[nodiscard]] LaunchResult launch(const ProgramPair& pair, const Subject& subject, const LaunchPlan& plan,
                                    std::stop_token stop) override;

 private:
  using Held = std::vector<std::shared_ptr<void>>;
  /// What the hooks want to be kept during the call.
  [[nodiscard]] Held prepare(const LaunchPlan* launch, const std::stop_token& stop) const;

  PairRunner& runner_;
  std::vector<RunnerHook> hooks_;
};

}  // namespace tandem::runners
