#include "runners/pairing/whole_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/protocol.hpp"

namespace tandem::runners {
namespace {

/// Adds one command's end to that of those before it: the last one's ending, the outputs and resources of
/// all.
void add_to(Finished& all, const Finished& one) {
  all.how = one.how;
  all.code = one.code;
  all.output += one.output;
  all.errors += one.errors;
  all.usage.wall += one.usage.wall;
  all.usage.user += one.usage.user;
  all.usage.system += one.usage.system;
  all.usage.peak_resident_bytes = std::max(all.usage.peak_resident_bytes, one.usage.peak_resident_bytes);
  all.usage.voluntary_switches += one.usage.voluntary_switches;
  all.usage.involuntary_switches += one.usage.involuntary_switches;
  all.left_behind += one.left_behind;
}

}  // namespace

Command ProcessLaunch::command(std::size_t slot, std::size_t number, Scratch scratch) const {
  Command command = command_in_slot(*this, slot, commands.at(number), scratch);
  // A program that speaks the slice protocol would take it for an open channel.
  std::erase_if(command.environment,
                [](const std::string& entry) { return entry.starts_with("TANDEM_FD="); });
  if (limits == Limits::left_alone) leave_undisturbed(command);
  return command;
}

Finished run_slot(const ProcessLaunch& launch, std::size_t slot, const std::vector<int>& cpus,
                  const std::stop_token& stop) {
  const Side side = launch.plan.side_of(slot);
  Finished all;
  for (std::size_t number = 0; number < launch.commands.size(); ++number) {
    Command command = launch.command(slot, number);
    command.cpus = cpus;
    const Finished one = run_command(command, {launch.deadline(), launch.settings.output_bytes}, stop);
    expect_good_end(side, launch.plan.index, one, launch.pair.status, "");
    add_to(all, one);
  }
  return all;
}

namespace {

using Kind = Children::Event::Kind;
using ChildClock = Children::Clock;

/// How both sides ended, by slot.
struct EndedTogether {
  std::array<Finished, 2> slots;
  double gap_ns = 0;  ///< from the first start to the second
};

/// Starts both sides at the same moment, each on processors of its own (`cpus.duet`, by slot), slot 0 a
/// moment earlier. The side that ends first is started again, and again, until the other has ended, so that
/// neither runs a part of its time alone; what it does then is thrown away, but must not fail. It writes to
/// other directories then; where the pair keeps some, which it would write to again, it is left ended.
///
/// The first failure ends everything.
class Together {
 public:
  Together(const ProcessLaunch& launch, const std::stop_token& stop)
      : launch_(launch), stop_(stop), deadline_(ChildClock::now() + launch.deadline()) {}

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
  [[nodiscard]] bool done(std::size_t slot) const { return next_.at(slot) == launch_.commands.size(); }
  [[nodiscard]] Side side(std::size_t slot) const { return launch_.plan.side_of(slot); }

  /// The slot's next command, or the last one again.
  void start(std::size_t slot) {
    Command command = launch_.command(slot, std::min(next_.at(slot), launch_.commands.size() - 1),
                                      done(slot) ? Scratch::spare : Scratch::own);
    command.cpus = launch_.settings.cpus.duet.at(slot);
    Children::Options options;
    options.output_bytes = launch_.settings.output_bytes;
    current_.at(slot) = children_.start(command, options);
  }

  void ended(std::size_t child) {
    const std::size_t slot = child == current_[0] ? 0 : 1;
    const bool fills = done(slot);
    const Finished finished = children_.take(child);
    expect_good_end(
        side(slot), launch_.plan.index, finished, launch_.pair.status,
        fills ? fmt::format("when it was started again beside the {}", name_of(side(1 - slot))) : "");
    if (!fills) {
      add_to(ended_.at(slot), finished);
      ++next_.at(slot);
    }
    if (!done(slot)) {
      start(slot);
    } else if (!done(1 - slot) && launch_.pair.kept_names.empty()) {
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
    const std::size_t control = launch_.plan.slot_of(Side::control);
    const std::size_t slot = done(control) ? 1 - control : control;
    children_.end(current_.at(slot), how);
    throw LaunchFailed{failure_of(side(slot), launch_.plan.index, children_.finished(current_.at(slot)), "")};
  }

  const ProcessLaunch& launch_;
  const std::stop_token& stop_;
  static constexpr std::chrono::milliseconds shortest_grace{5};
  ChildClock::time_point begin_ = ChildClock::now();
  ChildClock::time_point deadline_;
  Children children_;  ///< at its end, whoever still fills is killed
  std::array<std::size_t, 2> current_{};
  std::array<std::size_t, 2> next_{};
  std::array<Finished, 2> ended_;
};

/// What one launch of whole processes leaves, by side.
struct Ended {
  std::array<SlotEnd, 2> sides;
  std::vector<double> gaps_ns;
};

Ended run_in_turn(const ProcessLaunch& launch, Pairing pairing, const std::stop_token& stop) {
  Ended ended;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const Side side = launch.plan.side_of(slot);
    if (launch.plan.only && *launch.plan.only != side) continue;
    // A side alone is compared with the same side in company, so it has the same processors.
    const auto& cpus = launch.settings.cpus;
    const bool threads = launch.plan.shape.waiting == SliceShape::Waiting::frozen;
    const auto& place = pairing == Pairing::process_together ? cpus.duet.at(slot)
                        : threads                            ? cpus.all
                                                             : cpus.measured;
    open_slot(launch, slot, stop);
    Finished finished = run_slot(launch, slot, place, stop);
    ended.sides.at(static_cast<std::size_t>(side)) = close_slot(launch, slot, std::move(finished), stop);
  }
  return ended;
}

Ended run_together(const ProcessLaunch& launch, const std::stop_token& stop) {
  for (std::size_t slot = 0; slot < 2; ++slot) {
    open_slot(launch, slot, stop);
    if (!launch.pair.before.empty()) launch.copies.copy_scratch(slot);
  }
  const auto& [first, second] = launch.settings.cpus.duet;
  if (first.empty() || second.empty()) {
    throw LaunchFailed{{Side::control, launch.plan.index, RunFailure::Reason::not_started,
                        "the two sides cannot run together: this host has no two cores for them; let them "
                        "run in turn (pairing \"process\")"}};
  }
  EndedTogether both = Together(launch, stop).run();
  Ended ended;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    ended.sides.at(static_cast<std::size_t>(launch.plan.side_of(slot))) =
        close_slot(launch, slot, std::move(both.slots.at(slot)), stop);
  }
  ended.gaps_ns = {both.gap_ns};
  return ended;
}

std::vector<Series> series_of(const ProgramPair& pair, Protocol protocol, const SlotEnd& end, Side side,
                              std::uint64_t launch) {
  const auto broken = [&](std::string what) {
    return LaunchFailed{{side, launch, RunFailure::Reason::protocol, std::move(what)}};
  };
  auto read = read_results(pair, protocol, end);
  if (const auto* wrong = std::get_if<std::string>(&read))
    throw broken(fmt::format("{}: {}", name_of(side), *wrong));
  auto series = std::get<std::vector<Series>>(std::move(read));
  if (series.empty()) {
    throw broken(fmt::format("{} printed nothing that reads as {} this time", name_of(side),
                             expected_form(pair, protocol)));
  }
  return series;
}

}  // namespace

std::vector<Sampled> launch_processes(const HostSettings& settings, const ProgramPair& pair,
                                      const Subject& subject, const LaunchPlan& plan,
                                      const std::stop_token& stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  const ProcessLaunch context{{settings, pair, plan, copies}, commands_for(pair, subject)};
  const Pairing pairing = subject.shape.pairing;
  Ended ended = pairing == Pairing::process_together && !plan.only ? run_together(context, stop)
                                                                   : run_in_turn(context, pairing, stop);
  Launch launch = empty_launch(plan);
  launch.gaps_ns = std::move(ended.gaps_ns);
  launch.control_usage = ended.sides[0].finished.usage;
  launch.treatment_usage = ended.sides[1].finished.usage;
  std::array<std::vector<Series>, 2> series;
  for (const Side side : {Side::control, Side::treatment}) {
    if (plan.only && *plan.only != side) continue;
    const auto place = static_cast<std::size_t>(side);
    series.at(place) = series_of(pair, subject.protocol, ended.sides.at(place), side, plan.index);
  }
  return pair_up(std::move(series), plan, launch);
}

}  // namespace tandem::runners
