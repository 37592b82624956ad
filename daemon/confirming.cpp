#include "daemon/confirming.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "analysis/statistics.hpp"

namespace tandem::daemon {
namespace {

using runners::RunFailure;

/// One launch's statistics of the benchmark, nothing if the launch did not give it, or the failure.
std::variant<std::optional<analysis::LaunchStatistics>, RunFailure> launch_once(
    runners::PairRunner& runner, const ConfirmationTask& task, const runners::ProgramPair& pair,
    const runners::LaunchPlan& plan, const std::stop_token& stop) {
  auto result = runner.launch(pair, task.subject, plan, stop);
  if (auto* failure = std::get_if<RunFailure>(&result)) return std::move(*failure);
  std::optional<analysis::LaunchStatistics> statistics;
  for (const auto& sampled : std::get<std::vector<runners::Sampled>>(result)) {
    if (sampled.benchmark == task.benchmark && sampled.metric.name == task.metric.name)
      statistics = cost_statistics(sampled.launch, sampled.metric.direction);
  }
  return statistics;
}

/// Keeps the coins of the launches as built apart from those of the units.
constexpr std::uint64_t as_built_stream = 0x0b1d'0b1d'0000'0001;
constexpr std::size_t launches_as_built = 4;  // per look

/// False if it was stopped. A launch that fails is simply not there: these only explain, they decide nothing.
bool look_at_the_build(runners::PairRunner& runner, const ConfirmationTask& task, ConfirmationRecord& record,
                       const std::stop_token& stop) {
  for (std::size_t i = 0; task.as_built && i < launches_as_built; ++i) {
    const auto plan =
        runners::plan_launch(task.seed ^ as_built_stream, record.as_built.size() + i, task.subject.shape);
    auto launched = launch_once(runner, task, *task.as_built, plan, stop);
    if (stop.stop_requested()) return false;
    const auto* statistics = std::get_if<std::optional<analysis::LaunchStatistics>>(&launched);
    if (statistics == nullptr || !*statistics) continue;
    record.as_built.push_back(task.statistic == analysis::Statistic::total ? (*statistics)->total
                                                                           : (*statistics)->median);
  }
  return true;
}

}  // namespace

bool shipped_layout_alone(const ConfirmationRecord& record, analysis::Direction suspected) {
  constexpr std::size_t fewest = 4;
  if (record.as_built.size() < fewest) return false;
  const double sign = suspected == analysis::Direction::slower ? 1.0 : -1.0;
  std::size_t agree = 0;
  for (const double value : record.as_built) agree += sign * value > 0 ? 1 : 0;
  const double middle = sign * analysis::median(record.as_built).value_or(0);
  return middle >= std::log1p(record.minimum_effect) && 4 * agree >= 3 * record.as_built.size();
}

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
    const auto pair = task.pair(unit);
    if (stop.stop_requested()) return RunFailure{{}, unit, RunFailure::Reason::stopped, "stopped"};
    if (const auto* why = std::get_if<std::string>(&pair)) {
      last_failure = RunFailure{runners::Side::treatment, unit, RunFailure::Reason::not_started, *why};
    }
    for (std::size_t i = 0; i < 2 && std::holds_alternative<runners::ProgramPair>(pair); ++i) {
      auto launched = launch_once(runner, task, std::get<runners::ProgramPair>(pair),
                                  i == 0 ? one : runners::opposite(one), stop);
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
    if (record.units.size() == record.result.next_look) {
      if (!look_at_the_build(runner, task, record, stop)) {
        return RunFailure{{}, unit, RunFailure::Reason::stopped, "stopped"};
      }
      record.result = analysis::confirm(record.units, plan);
    }
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

}  // namespace tandem::daemon
