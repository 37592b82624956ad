#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runners/conversation.hpp"
#include "runners/launch_command.hpp"
#include "runners/observer_lines.hpp"
#include "runners/program_copies.hpp"

namespace tandem::runners {
namespace {

/// Runs all commands of one slot; the result is the last one's with the outputs and resources of all.
std::variant<Finished, RunFailure> run_slot(const HostSettings& settings, const ProgramPair& pair,
                                            const LaunchPlan& plan, const ProgramCopies& copies,
                                            std::size_t slot, const std::stop_token& stop) {
  Finished all;
  for (const auto& arguments : pair.commands) {
    Command command = command_in_slot(settings, pair, plan, slot, arguments, copies);
    leave_undisturbed(command);
    Finished one =
        run_command(command, {pair.deadline.value_or(settings.deadline), settings.output_bytes}, stop);
    if (!one.succeeded()) return failure_of(plan.side_of(slot), plan.index, one, "");
    all.how = one.how;
    all.output += one.output;
    all.usage.wall += one.usage.wall;
    all.usage.user += one.usage.user;
    all.usage.system += one.usage.system;
    all.usage.peak_resident_bytes = std::max(all.usage.peak_resident_bytes, one.usage.peak_resident_bytes);
    all.usage.voluntary_switches += one.usage.voluntary_switches;
    all.usage.involuntary_switches += one.usage.involuntary_switches;
    all.left_behind += one.left_behind;
  }
  if (all.left_behind > 0) {
    return left_behind_by(plan.side_of(slot), plan.index, all.left_behind);
  }
  return all;
}

std::variant<std::vector<ObservedSeries>, RunFailure> series_of(const ProgramPair& pair, Protocol protocol,
                                                                const Finished& finished, Side side,
                                                                std::uint64_t launch) {
  if (protocol == Protocol::command) {
    return std::vector<ObservedSeries>{
        {"command", specs::Metric{}, {static_cast<double>(finished.usage.wall.count())}}};
  }
  auto observed = read_observer_lines(finished.output, pair.observer_identifiers);
  if (const auto* wrong = std::get_if<std::string>(&observed)) {
    return RunFailure{side, launch, RunFailure::Reason::protocol,
                      fmt::format("{}: {}", name_of(side), *wrong)};
  }
  auto series = std::get<std::vector<ObservedSeries>>(std::move(observed));
  if (series.empty()) {
    return RunFailure{side, launch, RunFailure::Reason::protocol,
                      fmt::format("{} printed no observer line this time", name_of(side))};
  }
  return series;
}

}  // namespace

LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair, const Subject& subject,
                              const LaunchPlan& plan, std::stop_token stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  std::array<std::vector<ObservedSeries>, 2> series;  // by side
  std::array<ResourceUsage, 2> usage;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const Side side = plan.side_of(slot);
    auto finished = run_slot(settings, pair, plan, copies, slot, stop);
    if (const auto* failure = std::get_if<RunFailure>(&finished)) return *failure;
    usage.at(static_cast<std::size_t>(side)) = std::get<Finished>(finished).usage;
    auto read = series_of(pair, subject.protocol, std::get<Finished>(finished), side, plan.index);
    if (const auto* failure = std::get_if<RunFailure>(&read)) return *failure;
    series.at(static_cast<std::size_t>(side)) = std::get<std::vector<ObservedSeries>>(std::move(read));
  }

  std::vector<Sampled> sampled;
  for (ObservedSeries& control : series[0]) {
    const auto same_key = [&](const ObservedSeries& one) { return one.key == control.key; };
    const auto treatment = std::find_if(series[1].begin(), series[1].end(), same_key);
    if (treatment == series[1].end()) continue;
    Launch launch;
    launch.index = plan.index;
    launch.first_slot = plan.first_slot;
    launch.control = std::move(control.values);
    launch.treatment = std::move(treatment->values);
    launch.control_usage = usage[0];
    launch.treatment_usage = usage[1];
    sampled.push_back({control.key, control.metric, std::move(launch)});
  }
  return sampled;
}

}  // namespace tandem::runners
