#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "runners/further_metrics.hpp"
#include "runners/launch_command.hpp"
#include "runners/processes_together.hpp"
#include "runners/result_reader.hpp"
#include "runners/whole_process.hpp"

namespace tandem::runners {
namespace {

/// What one launch of whole processes leaves, by side.
struct Ended {
  std::array<Finished, 2> sides;
  std::vector<double> gaps_ns;
};

std::variant<Ended, RunFailure> run_in_turn(const ProcessGround& ground, Pairing pairing,
                                            const std::stop_token& stop) {
  Ended ended;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const Side side = ground.plan.side_of(slot);
    if (ground.plan.only && *ground.plan.only != side) continue;
    // A side alone is compared with the same side in company, so it has the same processors.
    const auto& cpus = ground.settings.cpus;
    const bool threads = ground.plan.shape.waiting == SliceShape::Waiting::frozen;
    const auto& place = pairing == Pairing::process_together ? cpus.duet.at(slot)
                        : threads                            ? cpus.all
                                                             : cpus.measured;
    auto finished = run_slot(ground, slot, place, stop);
    if (const auto* failure = std::get_if<RunFailure>(&finished)) return *failure;
    ended.sides.at(static_cast<std::size_t>(side)) = std::get<Finished>(std::move(finished));
  }
  return ended;
}

std::variant<Ended, RunFailure> run_side_by_side(const ProcessGround& ground, const std::stop_token& stop) {
  auto together = run_together(ground, stop);
  if (const auto* failure = std::get_if<RunFailure>(&together)) return *failure;
  auto& both = std::get<EndedTogether>(together);
  Ended ended;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    ended.sides.at(static_cast<std::size_t>(ground.plan.side_of(slot))) = std::move(both.slots.at(slot));
  }
  ended.gaps_ns = {both.gap_ns};
  return ended;
}

std::variant<std::vector<Series>, RunFailure> series_of(const ProgramPair& pair, Protocol protocol,
                                                        const Finished& finished, Side side,
                                                        std::uint64_t launch) {
  const auto broken = [&](const std::string& what) {
    return RunFailure{side, launch, RunFailure::Reason::protocol, what};
  };
  auto read = read_results(pair, protocol, finished);
  if (const auto* wrong = std::get_if<std::string>(&read))
    return broken(fmt::format("{}: {}", name_of(side), *wrong));
  auto series = std::get<std::vector<Series>>(std::move(read));
  if (series.empty()) {
    return broken(
        fmt::format("{} printed nothing that reads as {} this time", name_of(side), name_of(protocol)));
  }
  return series;
}

/// What both sides printed; of a side alone, all that it printed.
std::vector<Sampled> sampled_from(std::array<std::vector<Series>, 2> series, const LaunchPlan& plan,
                                  const Launch& launch) {
  std::map<std::pair<std::string, std::string>, std::vector<double>*> treatments;
  for (Series& one : series[1]) treatments[{one.key, one.metric.name + "\n" + one.metric.unit}] = &one.values;
  std::vector<Sampled> sampled;
  const std::size_t leading = plan.only ? static_cast<std::size_t>(*plan.only) : 0;
  for (Series& one : series.at(leading)) {
    Sampled both{one.key, one.metric, launch};
    (leading == 0 ? both.launch.control : both.launch.treatment) = std::move(one.values);
    if (!plan.only) {
      const auto treatment = treatments.find({one.key, one.metric.name + "\n" + one.metric.unit});
      if (treatment == treatments.end()) continue;
      both.launch.treatment = std::move(*treatment->second);
    }
    sampled.push_back(std::move(both));
  }
  return sampled;
}

}  // namespace

LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair, const Subject& subject,
                              const LaunchPlan& plan, std::stop_token stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  const ProcessGround ground{settings, pair, plan, copies, commands_for(pair, subject)};
  const Pairing pairing = subject.shape.pairing;
  auto result = pairing == Pairing::process_together && !plan.only ? run_side_by_side(ground, stop)
                                                                   : run_in_turn(ground, pairing, stop);
  if (const auto* failure = std::get_if<RunFailure>(&result)) return *failure;
  Ended& ended = std::get<Ended>(result);

  Launch launch;
  launch.index = plan.index;
  launch.first_slot = plan.first_slot;
  launch.gaps_ns = std::move(ended.gaps_ns);
  launch.control_usage = ended.sides[0].usage;
  launch.treatment_usage = ended.sides[1].usage;
  std::array<std::vector<Series>, 2> series;
  for (const Side side : {Side::control, Side::treatment}) {
    if (plan.only && *plan.only != side) continue;
    const auto place = static_cast<std::size_t>(side);
    auto read = series_of(pair, subject.protocol, ended.sides.at(place), side, plan.index);
    if (const auto* failure = std::get_if<RunFailure>(&read)) return *failure;
    series.at(place) = std::get<std::vector<Series>>(std::move(read));
  }
  std::vector<Sampled> sampled = sampled_from(std::move(series), plan, launch);
  auto further = further_metrics({settings, pair, subject, plan, launch}, stop);
  if (const auto* failure = std::get_if<RunFailure>(&further)) return *failure;
  add_unknown(sampled, std::get<std::vector<Sampled>>(std::move(further)));
  return sampled;
}

}  // namespace tandem::runners
