#include "runners/pairing/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/duet.hpp"
#include "runners/pairing/further_metrics.hpp"
#include "runners/pairing/launch_command.hpp"
#include "runners/pairing/program_copies.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/shared_page.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {

namespace {

/// Both programs run their slices; if one falls silent, the one whose turn it is has to answer for it.
std::array<std::uint32_t, 2> await_both(Conversation& conversation, const SharedPage& page,
                                        const LaunchPlan& plan) {
  std::array<std::uint32_t, 2> taken{};
  for (std::size_t slot = 0; slot < 2; ++slot) {
    try {
      taken.at(slot) = conversation.finish_slices(slot);
    } catch (const Broken& broken) {
      const std::uint32_t turn = page->turn.load(std::memory_order_acquire);
      if (broken.failure.reason == RunFailure::Reason::timed_out && turn < plan.order.size()) {
        conversation.late(plan.order[turn], "in its slice");
      }
      throw;
    }
  }
  return taken;
}

}  // namespace

Steps steps_by_page(Conversation& conversation, SharedPage& page, const LaunchPlan& plan) {
  if (plan.order.size() > Page::most_steps)
    throw Error("a launch with more slices than the shared page holds");
  page->steps = static_cast<std::uint32_t>(plan.order.size());
  for (std::size_t slot = 0; slot < 2; ++slot) {
    page->iterations[slot] = plan.shape.iterations_of(plan.side_of(slot));
  }
  std::copy(plan.order.begin(), plan.order.end(), page->order);
  page->turn.store(0, std::memory_order_release);
  // The side that begins is asked last, so that the other is already waiting when the first hand-over comes.
  const std::size_t begins = plan.order.front();
  conversation.start_slices(1 - begins, "turns");
  conversation.start_slices(begins, "turns");
  const auto taken = await_both(conversation, page, plan);
  Steps steps;
  steps.elapsed_ns.reserve(plan.order.size());
  std::uint64_t previous_end = 0;
  std::array<std::uint32_t, 2> expected{};
  for (std::size_t step = 0; step < plan.order.size(); ++step) {
    const std::size_t slot = plan.order[step];
    ++expected.at(slot);
    const Page::Slice slice = page->slices[slot][step];
    if (slice.begin_ns < previous_end || slice.end_ns <= slice.begin_ns) {
      conversation.breach(slot, fmt::format("ran slice {} at another time than its turn", step));
    }
    if (step > 0) steps.gaps_ns.push_back(static_cast<double>(slice.begin_ns - previous_end));
    previous_end = slice.end_ns;
    steps.elapsed_ns.push_back(slice.end_ns - slice.begin_ns);
  }
  for (std::size_t slot = 0; slot < 2; ++slot) {
    if (taken.at(slot) != expected.at(slot)) {
      conversation.breach(slot, fmt::format("took {} turns of {}", taken.at(slot), expected.at(slot)));
    }
  }
  return steps;
}

Steps steps_by_lines(Conversation& conversation, const LaunchPlan& plan) {
  const bool frozen = plan.shape.waiting == SliceShape::Waiting::frozen;
  if (frozen) {
    conversation.freeze(0);
    conversation.freeze(1);
  }
  Steps steps;
  steps.elapsed_ns.reserve(plan.order.size());
  for (const std::uint8_t slot : plan.order) {
    if (frozen) conversation.thaw(slot);
    steps.elapsed_ns.push_back(conversation.run(slot, plan.shape.iterations_of(plan.side_of(slot))));
    if (frozen) conversation.freeze(slot);
  }
  if (frozen) {
    conversation.thaw(0);
    conversation.thaw(1);
  }
  return steps;
}

Launch launch_of(const Steps& steps, const LaunchPlan& plan) {
  Launch launch;
  launch.index = plan.index;
  launch.first_slot = plan.first_slot;
  const auto per_iteration = [&](std::size_t step) {
    return static_cast<double>(steps.elapsed_ns[step]) / static_cast<double>(plan.shape.iterations);
  };
  if (plan.only) {
    auto& values = *plan.only == Side::control ? launch.control : launch.treatment;
    for (std::size_t step = plan.shape.warm_up_pairs; step < steps.elapsed_ns.size(); ++step) {
      values.push_back(per_iteration(step));
    }
    return launch;
  }
  for (std::size_t pair = plan.shape.warm_up_pairs; pair < plan.shape.warm_up_pairs + plan.shape.pairs;
       ++pair) {
    const Side first = plan.side_of(plan.order[2 * pair]);
    const double earlier = per_iteration(2 * pair);
    const double later = per_iteration(2 * pair + 1);
    launch.first.push_back(first);
    launch.control.push_back(first == Side::control ? earlier : later);
    launch.treatment.push_back(first == Side::control ? later : earlier);
    if (!steps.gaps_ns.empty()) launch.gaps_ns.push_back(steps.gaps_ns[2 * pair]);
  }
  return launch;
}

namespace {

/// What all kinds of sliced launches are made of.
struct Ground : LaunchGround {
  const Subject& subject;
  SharedPage& page;

  [[nodiscard]] bool threaded() const { return plan.shape.waiting == SliceShape::Waiting::frozen; }
  [[nodiscard]] std::vector<int> cpus(std::size_t slot) const {
    if (plan.shape.pairing == Pairing::duet) return settings.cpus.duet.at(slot);
    return threaded() ? settings.cpus.all : settings.cpus.measured;
  }
  [[nodiscard]] Conversation converse(std::stop_token stop) const {
    return Conversation(plan.index, Children::Clock::now() + deadline(), std::move(stop));
  }

  /// Starts the program of a slot, as the conversation's next child.
  std::size_t start(Conversation& conversation, std::size_t slot) const {
    Command command = command_in_slot(*this, slot, pair.commands.back());
    leave_undisturbed(command);
    command.cpus = cpus(slot);
    return conversation.start(plan.side_of(slot), command,
                              {settings.output_bytes, Children::Options::Channel::yes, page.descriptor()});
  }
};

/// What the two sides leave beside their times.
struct Left {
  std::array<std::vector<ReportedValue>, 2> reported;  ///< what the programs said of themselves, by side
  std::array<std::vector<Series>, 2> series;           ///< from `after` and written files, by side
};

void open(const Ground& ground, std::size_t slot, const std::stop_token& stop) {
  if (auto failure = open_slot(ground, slot, stop)) throw Broken{std::move(*failure)};
}

/// Ends the program of a slot, which is the conversation's child.
void finish(const Ground& ground, std::size_t slot, Conversation& conversation, std::size_t child,
            Launch& launch, Left& left) {
  conversation.quit(child, ground.pair.status);
  const Side side = ground.plan.side_of(slot);
  left.reported.at(static_cast<std::size_t>(side)) = conversation.reported(child);
  (side == Side::control ? launch.control_usage : launch.treatment_usage) =
      conversation.children().finished(child).usage;
}

void close(const Ground& ground, std::size_t slot, const std::stop_token& stop, Left& left) {
  auto end = close_slot(ground, slot, {}, stop);
  if (auto* failure = std::get_if<RunFailure>(&end)) throw Broken{std::move(*failure)};
  const Side side = ground.plan.side_of(slot);
  auto read = read_results(ground.pair, Protocol::slices, std::get<SlotEnd>(end));
  if (const auto* wrong = std::get_if<std::string>(&read)) {
    throw Broken{{side, ground.plan.index, RunFailure::Reason::protocol,
                  fmt::format("{}: {}", name_of(side), *wrong)}};
  }
  left.series.at(static_cast<std::size_t>(side)) = std::get<std::vector<Series>>(std::move(read));
}

/// The launch without its values.
Launch bare(const Launch& launch) {
  Launch values;
  values.index = launch.index;
  values.first_slot = launch.first_slot;
  values.control_usage = launch.control_usage;
  values.treatment_usage = launch.treatment_usage;
  return values;
}

/// The values that both sides reported or left become samples beside the time.
std::vector<Sampled> with_what_is_left(const Ground& ground, Launch launch, Left left) {
  const auto& reported = left.reported;
  std::vector<Sampled> all;
  for (const ReportedValue& control : reported[0]) {
    const auto treatment = std::find_if(
        reported[1].begin(), reported[1].end(),
        [&](const ReportedValue& one) { return one.name == control.name && one.unit == control.unit; });
    if (treatment == reported[1].end()) continue;
    Launch values = bare(launch);
    values.control = {control.value};
    values.treatment = {treatment->value};
    const auto usual = specs::usual_direction(control.name, control.unit);
    all.push_back({ground.subject.benchmark,
                   {control.name, control.unit, ground.pair.direction.value_or(usual)},
                   std::move(values),
                   {},
                   {}});
  }
  for (Sampled& one : pair_up(std::move(left.series), ground.plan, bare(launch)))
    all.push_back(std::move(one));
  all.insert(all.begin(), {ground.subject.benchmark, specs::Metric{}, std::move(launch), {}, {}});
  return all;
}

/// Both programs alive side by side: slices in turn, or at the same instant.
std::vector<Sampled> launch_side_by_side(const Ground& ground, const std::stop_token& stop) {
  const LaunchPlan& plan = ground.plan;
  const bool duet = plan.shape.pairing == Pairing::duet;
  for (std::size_t slot = 0; slot < 2; ++slot) open(ground, slot, stop);
  Conversation conversation = ground.converse(stop);
  const bool by_page = duet || !ground.threaded();
  for (std::size_t slot = 0; slot < 2; ++slot) ground.start(conversation, slot);
  bool paged = by_page;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const bool maps = conversation.greet(slot, by_page, slot);
    if (duet && !maps) conversation.breach(slot, "does not map the shared page, which a duet needs");
    paged = paged && maps;
  }
  for (std::size_t slot = 0; slot < 2; ++slot) conversation.select(slot, ground.subject.benchmark);
  Launch launch;
  if (duet && !plan.only) {
    launch = play_duet(conversation, ground.page, plan, ground.settings.cpus);
  } else {
    launch = launch_of(
        paged ? steps_by_page(conversation, ground.page, plan) : steps_by_lines(conversation, plan), plan);
  }
  Left left;
  for (std::size_t slot = 0; slot < 2; ++slot) finish(ground, slot, conversation, slot, launch, left);
  for (std::size_t slot = 0; slot < 2; ++slot) close(ground, slot, stop, left);
  return with_what_is_left(ground, std::move(launch), std::move(left));
}

/// All slices of one side, then all of the other, each in a process that has the machine to itself.
std::vector<Sampled> launch_in_turn(const Ground& ground, const std::stop_token& stop) {
  const LaunchPlan& plan = ground.plan;
  Launch launch;
  launch.index = plan.index;
  launch.first_slot = plan.first_slot;
  Left left;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const Side side = plan.side_of(slot);
    if (plan.only && *plan.only != side) continue;
    open(ground, slot, stop);
    Conversation conversation = ground.converse(stop);
    const std::size_t child = ground.start(conversation, slot);
    conversation.greet(child, false, slot);
    conversation.select(child, ground.subject.benchmark);
    auto& values = side == Side::control ? launch.control : launch.treatment;
    for (std::size_t slice = 0; slice < plan.shape.warm_up_pairs + plan.shape.pairs; ++slice) {
      const auto elapsed = static_cast<double>(conversation.run(child, plan.shape.iterations_of(side)));
      if (slice >= plan.shape.warm_up_pairs) {
        values.push_back(elapsed / static_cast<double>(plan.shape.iterations));
      }
    }
    finish(ground, slot, conversation, child, launch, left);
    close(ground, slot, stop, left);
  }
  return with_what_is_left(ground, std::move(launch), std::move(left));
}

}  // namespace

LaunchResult launch_slices(const HostSettings& settings, const ProgramPair& pair, const Subject& subject,
                           const LaunchPlan& plan, std::stop_token stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  SharedPage page;
  const Ground ground{{settings, pair, plan, copies}, subject, page};
  try {
    const bool in_turn =
        plan.shape.pairing == Pairing::process || plan.shape.pairing == Pairing::process_together;
    auto sampled = in_turn ? launch_in_turn(ground, stop) : launch_side_by_side(ground, stop);
    if (plan.only) return sampled;
    auto further = further_metrics({settings, pair, subject, plan, sampled.front().launch}, stop);
    if (std::holds_alternative<RunFailure>(further)) return further;
    add_unknown(sampled, std::get<std::vector<Sampled>>(std::move(further)));
    return sampled;
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

}  // namespace tandem::runners
