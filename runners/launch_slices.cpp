#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runners/around_launch.hpp"
#include "runners/conversation.hpp"
#include "runners/duet.hpp"
#include "runners/further_metrics.hpp"
#include "runners/launch_command.hpp"
#include "runners/program_copies.hpp"
#include "runners/shared_page.hpp"
#include "runners/slice_steps.hpp"

namespace tandem::runners {
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
