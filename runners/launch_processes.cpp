#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "runners/around_launch.hpp"
#include "runners/further_metrics.hpp"
#include "runners/launch_command.hpp"
#include "runners/processes_together.hpp"
#include "runners/result_reader.hpp"
#include "runners/whole_process.hpp"

namespace tandem::runners {
namespace {

/// What one launch of whole processes leaves, by side.
struct Ended {
  std::array<SlotEnd, 2> sides;
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
    if (const auto failure = open_slot(ground, slot, stop)) return *failure;
    auto finished = run_slot(ground, slot, place, stop);
    if (const auto* failure = std::get_if<RunFailure>(&finished)) return *failure;
    auto end = close_slot(ground, slot, std::get<Finished>(std::move(finished)), stop);
    if (const auto* failure = std::get_if<RunFailure>(&end)) return *failure;
    ended.sides.at(static_cast<std::size_t>(side)) = std::get<SlotEnd>(std::move(end));
  }
  return ended;
}

std::variant<Ended, RunFailure> run_side_by_side(const ProcessGround& ground, const std::stop_token& stop) {
  for (std::size_t slot = 0; slot < 2; ++slot) {
    if (const auto failure = open_slot(ground, slot, stop)) return *failure;
    if (!ground.pair.before.empty()) ground.copies.copy_scratch(slot);
  }
  auto together = run_together(ground, stop);
  if (const auto* failure = std::get_if<RunFailure>(&together)) return *failure;
  auto& both = std::get<EndedTogether>(together);
  Ended ended;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    auto end = close_slot(ground, slot, std::move(both.slots.at(slot)), stop);
    if (const auto* failure = std::get_if<RunFailure>(&end)) return *failure;
    ended.sides.at(static_cast<std::size_t>(ground.plan.side_of(slot))) = std::get<SlotEnd>(std::move(end));
  }
  ended.gaps_ns = {both.gap_ns};
  return ended;
}

std::variant<std::vector<Series>, RunFailure> series_of(const ProgramPair& pair, Protocol protocol,
                                                        const SlotEnd& end, Side side, std::uint64_t launch) {
  const auto broken = [&](const std::string& what) {
    return RunFailure{side, launch, RunFailure::Reason::protocol, what};
  };
  auto read = read_results(pair, protocol, end);
  if (const auto* wrong = std::get_if<std::string>(&read))
    return broken(fmt::format("{}: {}", name_of(side), *wrong));
  auto series = std::get<std::vector<Series>>(std::move(read));
  if (series.empty()) {
    return broken(fmt::format("{} printed nothing that reads as {} this time", name_of(side),
                              expected_form(pair, protocol)));
  }
  return series;
}

}  // namespace

LaunchResult launch_processes(const HostSettings& settings, const ProgramPair& pair, const Subject& subject,
                              const LaunchPlan& plan, std::stop_token stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  const ProcessGround ground{{settings, pair, plan, copies}, commands_for(pair, subject)};
  const Pairing pairing = subject.shape.pairing;
  auto result = pairing == Pairing::process_together && !plan.only ? run_side_by_side(ground, stop)
                                                                   : run_in_turn(ground, pairing, stop);
  if (const auto* failure = std::get_if<RunFailure>(&result)) return *failure;
  Ended& ended = std::get<Ended>(result);

  Launch launch;
  launch.index = plan.index;
  launch.first_slot = plan.first_slot;
  launch.gaps_ns = std::move(ended.gaps_ns);
  launch.control_usage = ended.sides[0].finished.usage;
  launch.treatment_usage = ended.sides[1].finished.usage;
  std::array<std::vector<Series>, 2> series;
  for (const Side side : {Side::control, Side::treatment}) {
    if (plan.only && *plan.only != side) continue;
    const auto place = static_cast<std::size_t>(side);
    auto read = series_of(pair, subject.protocol, ended.sides.at(place), side, plan.index);
    if (const auto* failure = std::get_if<RunFailure>(&read)) return *failure;
    series.at(place) = std::get<std::vector<Series>>(std::move(read));
  }
  std::vector<Sampled> sampled = pair_up(std::move(series), plan, launch);
  auto further = further_metrics({settings, pair, subject, plan, launch}, stop);
  if (const auto* failure = std::get_if<RunFailure>(&further)) return *failure;
  add_unknown(sampled, std::get<std::vector<Sampled>>(std::move(further)));
  return sampled;
}

}  // namespace tandem::runners
