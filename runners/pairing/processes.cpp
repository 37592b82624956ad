#include "runners/pairing/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/further_metrics.hpp"
#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/whole_process.hpp"
#include "runners/results/result_reader.hpp"

namespace tandem::runners {

namespace {

using Kind = Children::Event::Kind;
using ChildClock = Children::Clock;

class Together {
 public:
  Together(const ProcessGround& ground, const std::stop_token& stop)
      : ground_(ground), stop_(stop), deadline_(ChildClock::now() + ground.deadline()) {}

  EndedTogether run() {
    std::array<ChildClock::time_point, 2> started;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      start(slot);
      started.at(slot) = ChildClock::now();
    }
    while (!done(0) || !done(1)) {
      const Children::Event event = children_.wait(deadline_, stop_);
      if (event.kind == Kind::finished) ended(event.child);
      if (event.kind == Kind::deadline) give_up(Finished::How::timed_out);
      if (event.kind == Kind::stopped) give_up(Finished::How::stopped);
    }
    return {std::move(ended_), std::chrono::duration<double, std::nano>(started[1] - started[0]).count()};
  }

 private:
  [[nodiscard]] bool done(std::size_t slot) const { return next_.at(slot) == ground_.commands.size(); }
  [[nodiscard]] Side side(std::size_t slot) const { return ground_.plan.side_of(slot); }

  /// The slot's next command, or the last one again.
  void start(std::size_t slot) {
    Command command = ground_.command(slot, std::min(next_.at(slot), ground_.commands.size() - 1),
                                      done(slot) ? Scratch::spare : Scratch::own);
    command.cpus = ground_.settings.cpus.duet.at(slot);
    Children::Options options;
    options.output_bytes = ground_.settings.output_bytes;
    current_.at(slot) = children_.start(command, options);
  }

  void ended(std::size_t child) {
    const std::size_t slot = child == current_[0] ? 0 : 1;
    const bool fills = done(slot);
    const Finished finished = children_.take(child);
    if (!ended_well(finished, ground_.pair.status)) {
      fail(failure_of(side(slot), ground_.plan.index, finished,
                      fills ? fmt::format("when it was started again beside the {}", name_of(side(1 - slot)))
                            : std::string()));
    }
    if (finished.left_behind > 0) fail(left_behind_by(side(slot), ground_.plan.index, finished.left_behind));
    if (!fills) {
      add_to(ended_.at(slot), finished);
      ++next_.at(slot);
    }
    if (!done(slot)) {
      start(slot);
    } else if (!done(1 - slot) && ground_.pair.kept_names.empty()) {
      fill(slot);
    }
  }

  /// Starting a process takes us a moment in which we would not see the other end. If that is about to
  /// happen, the other is left to it: a small difference must not grow by the cost of a start.
  void fill(std::size_t slot) {
    const auto grace = std::max<ChildClock::duration>(shortest_grace, (ChildClock::now() - begin_) / 100);
    const Children::Event event = children_.wait(std::min(deadline_, ChildClock::now() + grace), stop_);
    if (event.kind == Kind::finished) ended(event.child);
    if (event.kind == Kind::stopped) give_up(Finished::How::stopped);
    if (!done(1 - slot) && !children_.running(current_.at(slot))) start(slot);
  }

  /// Who is late is named: of both, the control, because then the treatment is not to blame.
  [[noreturn]] void give_up(Finished::How how) {
    const std::size_t control = ground_.plan.slot_of(Side::control);
    const std::size_t slot = done(control) ? 1 - control : control;
    children_.end(current_.at(slot), how);
    fail(failure_of(side(slot), ground_.plan.index, children_.finished(current_.at(slot)), ""));
  }

  [[noreturn]] static void fail(RunFailure failure) { throw Broken{std::move(failure)}; }

  const ProcessGround& ground_;
  const std::stop_token& stop_;
  static constexpr std::chrono::milliseconds shortest_grace{5};
  ChildClock::time_point begin_ = ChildClock::now();
  ChildClock::time_point deadline_;
  Children children_;  ///< at its end, whoever still fills is killed
  std::array<std::size_t, 2> current_{};
  std::array<std::size_t, 2> next_{};
  std::array<Finished, 2> ended_;
};

}  // namespace

std::variant<EndedTogether, RunFailure> run_together(const ProcessGround& ground,
                                                     const std::stop_token& stop) {
  if (ground.settings.cpus.duet[0].empty() || ground.settings.cpus.duet[1].empty()) {
    return RunFailure{Side::control, ground.plan.index, RunFailure::Reason::not_started,
                      "the two sides cannot run together: this host has no two cores for them; let them run "
                      "in turn (pairing \"process\")"};
  }
  try {
    return Together(ground, stop).run();
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

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
