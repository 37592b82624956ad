#include "daemon/measure/confirmation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "analysis/exact_rule.hpp"
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
constexpr std::size_t as_built_per_look = 4;
/// Fewer than these say nothing about the shipped layout.
constexpr std::size_t fewest_as_built = 4;

RunFailure stopped_at(std::uint64_t unit) {
  return {{}, unit, RunFailure::Reason::stopped, "stopped"};
}

}  // namespace

bool shipped_layout_alone(const ConfirmationRecord& record, analysis::Direction suspected) {
  if (record.as_built.size() < fewest_as_built) return false;
  const double sign = suspected == analysis::Direction::slower ? 1.0 : -1.0;
  std::size_t agree = 0;
  for (const double value : record.as_built) agree += sign * value > 0 ? 1 : 0;
  const double middle = sign * analysis::median(record.as_built).value_or(0);
  return middle >= std::log1p(record.minimum_effect) && 4 * agree >= 3 * record.as_built.size();
}

std::vector<double> launches_as_built(runners::PairRunner& runner, const ConfirmationTask& task,
                                      std::size_t count, std::size_t first, const std::stop_token& stop) {
  std::vector<double> values;
  for (std::size_t i = 0; task.as_built && i < count && !stop.stop_requested(); ++i) {
    const auto plan = runners::plan_launch(task.seed ^ as_built_stream, first + i, task.subject.shape);
    auto launched = launch_once(runner, task, *task.as_built, plan, stop);
    const auto* statistics = std::get_if<std::optional<analysis::LaunchStatistics>>(&launched);
    if (statistics == nullptr || !*statistics) continue;
    values.push_back(task.statistic == analysis::Statistic::total ? (*statistics)->total
                                                                  : (*statistics)->median);
  }
  return values;
}

std::variant<std::optional<double>, RunFailure> measure_unit(runners::PairRunner& runner,
                                                             const ConfirmationTask& task, std::uint64_t unit,
                                                             const std::stop_token& stop) {
  const runners::LaunchPlan one = runners::plan_launch(task.seed, unit, task.subject.shape);
  const auto pair = task.pair(unit);
  if (stop.stop_requested()) return stopped_at(unit);
  if (const auto* why = std::get_if<std::string>(&pair)) {
    return RunFailure{runners::Side::treatment, unit, RunFailure::Reason::not_started, *why};
  }
  std::array<std::optional<analysis::LaunchStatistics>, 2> launches;
  for (std::size_t i = 0; i < 2; ++i) {
    auto launched = launch_once(runner, task, std::get<runners::ProgramPair>(pair),
                                i == 0 ? one : runners::opposite(one), stop);
    if (auto* failure = std::get_if<RunFailure>(&launched)) return std::move(*failure);
    launches.at(i) = std::get<0>(launched);
  }
  return analysis::unit_value(launches[0], launches[1], task.statistic);
}

std::variant<ConfirmationRecord, RunFailure> confirm_suspect(runners::PairRunner& runner,
                                                             const ConfirmationTask& task,
                                                             const ShowProgress& show,
                                                             const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const analysis::ConfirmationPlan plan{task.suspected, task.minimum_effect, task.alpha};
  ConfirmationRecord record;
  record.minimum_effect = task.minimum_effect;
  record.result = analysis::confirm(record.units, plan);
  std::size_t tried_as_built = 0;
  const auto run_as_built = [&] {
    const auto beside = launches_as_built(runner, task, as_built_per_look, tried_as_built, stop);
    tried_as_built += as_built_per_look;
    record.as_built.insert(record.as_built.end(), beside.begin(), beside.end());
  };
  std::optional<RunFailure> last_failure;
  for (std::uint64_t unit = 0, lost = 0; record.result.next_look > 0; ++unit) {
    if (show) {
      show({ScreeningProgress::Phase::confirming, task.benchmark, record.units.size() + 1,
            record.result.next_look});
    }
    auto measured = measure_unit(runner, task, unit, stop);
    if (stop.stop_requested()) return stopped_at(unit);
    if (auto* failure = std::get_if<RunFailure>(&measured)) last_failure = std::move(*failure);
    const auto* value = std::get_if<std::optional<double>>(&measured);
    if (value == nullptr || !*value) {
      // One unit in twenty may be lost, and one in any case.
      if (++lost > std::max<std::uint64_t>(1, unit / 20)) {
        if (last_failure) return *last_failure;
        return RunFailure{runners::Side::treatment, unit, RunFailure::Reason::protocol,
                          "the benchmark gave no usable value in its confirmation"};
      }
      continue;
    }
    record.units.push_back(**value);
    if (record.units.size() == record.result.next_look) {
      run_as_built();
      if (stop.stop_requested()) return stopped_at(unit);
      record.result = analysis::confirm(record.units, plan);
    }
  }
  // Lost launches are made up for once; what the shipped layout does must be known before anything is denied.
  const auto lacks = [&] {
    return task.as_built && record.result.outcome != analysis::ConfirmationOutcome::confirmed &&
           record.as_built.size() < fewest_as_built;
  };
  if (lacks()) run_as_built();
  if (stop.stop_requested()) return stopped_at(record.units.size());
  if (lacks()) {
    return RunFailure{runners::Side::treatment, record.units.size(), RunFailure::Reason::protocol,
                      fmt::format("of {} launches as it was built only {} gave a value", tried_as_built,
                                  record.as_built.size())};
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

std::variant<ConfirmationRecord, RunFailure> confirm_exactly(runners::PairRunner& runner,
                                                             const ConfirmationTask& task,
                                                             const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  ConfirmationRecord record;
  record.exact = true;
  record.minimum_effect = task.metric.tolerance.value_or(task.margin);
  std::vector<double> control;
  std::vector<double> treatment;
  const auto pair = task.as_built ? *task.as_built : std::get<runners::ProgramPair>(task.pair(0));
  auto plan = runners::plan_launch(task.seed, 0, task.subject.shape);
  plan.extra_runs = runners::LaunchPlan::ExtraRuns::yes;
  for (const auto& one : {plan, runners::opposite(plan)}) {
    auto result = runner.launch(pair, task.subject, one, stop);
    if (auto* failure = std::get_if<RunFailure>(&result)) return std::move(*failure);
    const std::size_t before = std::min(control.size(), treatment.size());
    for (const auto& sampled : std::get<std::vector<runners::Sampled>>(result)) {
      if (sampled.benchmark != task.benchmark || sampled.metric.name != task.metric.name) continue;
      const runners::Launch& launch = sampled.launch;
      control.insert(control.end(), launch.control.begin(), launch.control.end());
      treatment.insert(treatment.end(), launch.treatment.begin(), launch.treatment.end());
      if (const auto value = cost_statistics(launch, sampled.metric.direction)) {
        record.units.push_back(value->median);
      }
    }
    if (std::min(control.size(), treatment.size()) == before) {
      return RunFailure{runners::Side::treatment, one.index, RunFailure::Reason::protocol,
                        fmt::format("a launch gave no {} of both sides", task.metric.name)};
    }
  }
  const auto verdict = analysis::judge_exactly(control, treatment, task.metric, task.margin);
  const auto wanted =
      task.suspected == analysis::Direction::slower ? analysis::Outcome::slower : analysis::Outcome::faster;
  record.result.outcome = verdict.outcome == wanted ? analysis::ConfirmationOutcome::confirmed
                                                    : analysis::ConfirmationOutcome::not_reproduced;
  record.result.ratio = verdict.ratio;
  record.result.units = control.size();
  record.result.p_value = verdict.outcome == wanted ? 0 : 1;
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

}  // namespace tandem::daemon
