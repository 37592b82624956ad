#include "daemon/confirming.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tandem::daemon {
namespace {

using runners::RunFailure;

/// One launch's statistics of the benchmark, nothing if the launch did not give it, or the failure.
std::variant<std::optional<analysis::LaunchStatistics>, RunFailure> launch_once(
    runners::PairRunner& runner, const ConfirmationTask& task, const runners::LaunchPlan& plan,
    const std::stop_token& stop) {
  auto result = runner.launch(task.pair, task.subject, plan, stop);
  if (auto* failure = std::get_if<RunFailure>(&result)) return std::move(*failure);
  std::optional<analysis::LaunchStatistics> statistics;
  for (const auto& sampled : std::get<std::vector<runners::Sampled>>(result)) {
    if (sampled.benchmark == task.benchmark)
      statistics = cost_statistics(sampled.launch, sampled.metric.direction);
  }
  return statistics;
}

}  // namespace

std::variant<ConfirmationRecord, RunFailure> confirm_suspect(runners::PairRunner& runner,
                                                             const ConfirmationTask& task,
                                                             const ShowProgress& show,
                                                             const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const analysis::ConfirmationPlan plan{task.suspected, task.minimum_effect, task.seed};
  ConfirmationRecord record;
  record.minimum_effect = task.minimum_effect;
  record.result = analysis::confirm(record.units, plan);
  std::optional<RunFailure> last_failure;
  for (std::uint64_t unit = 0, lost = 0; record.result.next_look > 0; ++unit) {
    if (show) {
      show({ScreeningProgress::Phase::confirming, task.benchmark, record.units.size() + 1,
            record.result.next_look});
    }
    const runners::LaunchPlan one = runners::plan_launch(task.seed, unit, task.subject.shape);
    std::array<std::optional<analysis::LaunchStatistics>, 2> launches;
    for (std::size_t i = 0; i < 2; ++i) {
      auto launched = launch_once(runner, task, i == 0 ? one : runners::opposite(one), stop);
      if (auto* failure = std::get_if<RunFailure>(&launched)) {
        if (failure->reason == RunFailure::Reason::stopped) return *failure;
        last_failure = std::move(*failure);
        break;
      }
      launches.at(i) = std::get<0>(launched);
    }
    const auto value = analysis::unit_value(launches[0], launches[1], task.statistic);
    if (!value) {
      // One unit in twenty may be lost, and one in any case.
      if (++lost > std::max<std::uint64_t>(1, unit / 20)) {
        if (last_failure) return *last_failure;
        return RunFailure{runners::Side::treatment, unit, RunFailure::Reason::protocol,
                          "the benchmark gave no usable value in its confirmation"};
      }
      continue;
    }
    record.units.push_back(*value);
    if (record.units.size() == record.result.next_look) record.result = analysis::confirm(record.units, plan);
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

}  // namespace tandem::daemon
