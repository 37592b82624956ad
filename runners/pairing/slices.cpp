#include "runners/pairing/slices.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/launch_command.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

[[noreturn]] void fail_page() {
  throw Error(fmt::format("cannot make a shared page: {}", std::strerror(errno)));
}

}  // namespace

SharedPage::SharedPage() : file_(::memfd_create("tandem-page", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file_.get() < 0 || ::ftruncate(file_.get(), sizeof(Page)) != 0) fail_page();
  // A program that cut it off would take everyone who reads it along.
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail_page();
  void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) fail_page();
  page_ = static_cast<Page*>(memory);
  page_->magic = Page::magic_value;
}

SharedPage::~SharedPage() {
  ::munmap(page_, sizeof(Page));
}

namespace {

/// What the slices of a launch took, step by step in the plan's order.
struct Steps {
  std::vector<std::uint64_t> elapsed_ns;
  std::vector<double> gaps_ns;  ///< before each step but the first; empty by lines
};

/// Both programs run their slices; if one falls silent, the one whose turn it is has to answer for it.
std::array<std::uint32_t, 2> await_both(Conversation& conversation, const SharedPage& page,
                                        const LaunchPlan& plan) {
  std::array<std::uint32_t, 2> taken{};
  for (std::size_t slot = 0; slot < 2; ++slot) {
    try {
      taken.at(slot) = conversation.finish_slices(slot);
    } catch (const LaunchFailed& failed) {
      const std::uint32_t turn = page->turn.load(std::memory_order_acquire);
      if (failed.failure.reason == RunFailure::Reason::timed_out && turn < plan.order.size()) {
        conversation.late(plan.order[turn], "in its slice");
      }
      throw;
    }
  }
  return taken;
}

/// Programs that map the page hand over to each other; a slice outside its turn throws `LaunchFailed`.
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

/// Every slice is asked for by a line; the waiting side is frozen if the shape says so.
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

/// The launch without its resources: pairs of steps, or the values of one side if the plan has only one.
Launch launch_of(const Steps& steps, const LaunchPlan& plan) {
  Launch launch = empty_launch(plan);
  const auto per_iteration = [&](std::size_t step) {
    return static_cast<double>(steps.elapsed_ns[step]) / static_cast<double>(plan.shape.iterations);
  };
  if (plan.only) {
    auto& values = launch.of(*plan.only);
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

/// What all kinds of sliced launches are made of.
struct SlicedLaunch : LaunchContext {
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

/// Ends the program of a slot, which is the conversation's child.
void finish(const SlicedLaunch& context, std::size_t slot, Conversation& conversation, std::size_t child,
            Launch& launch, Left& left) {
  conversation.quit(child, context.pair.status);
  const Side side = context.plan.side_of(slot);
  left.reported.at(static_cast<std::size_t>(side)) = conversation.reported(child);
  (side == Side::control ? launch.control_usage : launch.treatment_usage) =
      conversation.children().finished(child).usage;
}

void close(const SlicedLaunch& context, std::size_t slot, const std::stop_token& stop, Left& left) {
  const SlotEnd end = close_slot(context, slot, {}, stop);
  const Side side = context.plan.side_of(slot);
  auto read = read_results(context.pair, Protocol::slices, end);
  if (const auto* wrong = std::get_if<std::string>(&read)) {
    throw LaunchFailed{{side, context.plan.index, RunFailure::Reason::protocol,
                        fmt::format("{}: {}", name_of(side), *wrong)}};
  }
  left.series.at(static_cast<std::size_t>(side)) = std::get<std::vector<Series>>(std::move(read));
}

/// The values that both sides reported or left become samples beside the time.
std::vector<Sampled> samples_of(const SlicedLaunch& context, Launch launch, Left left) {
  const auto& reported = left.reported;
  std::vector<Sampled> all;
  for (const ReportedValue& control : reported[0]) {
    const auto treatment = std::find_if(
        reported[1].begin(), reported[1].end(),
        [&](const ReportedValue& one) { return one.name == control.name && one.unit == control.unit; });
    if (treatment == reported[1].end()) continue;
    Launch values = without_values(launch);
    values.control = {control.value};
    values.treatment = {treatment->value};
    const auto usual = specs::usual_direction(control.name, control.unit);
    all.push_back({context.subject.benchmark,
                   {control.name, control.unit, context.pair.direction.value_or(usual)},
                   std::move(values),
                   {},
                   {}});
  }
  for (Sampled& one : pair_up(std::move(left.series), context.plan, without_values(launch)))
    all.push_back(std::move(one));
  all.insert(all.begin(), {context.subject.benchmark, specs::Metric{}, std::move(launch), {}, {}});
  return all;
}

/// Both programs alive side by side: slices in turn, or at the same instant.
std::vector<Sampled> launch_side_by_side(const SlicedLaunch& context, const std::stop_token& stop) {
  const LaunchPlan& plan = context.plan;
  const bool duet = plan.shape.pairing == Pairing::duet;
  for (std::size_t slot = 0; slot < 2; ++slot) open_slot(context, slot, stop);
  Conversation conversation = context.converse(stop);
  const bool by_page = duet || !context.threaded();
  for (std::size_t slot = 0; slot < 2; ++slot) context.start(conversation, slot);
  bool paged = by_page;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const bool maps = conversation.greet(slot, by_page, slot);
    if (duet && !maps) conversation.breach(slot, "does not map the shared page, which a duet needs");
    paged = paged && maps;
  }
  for (std::size_t slot = 0; slot < 2; ++slot) conversation.select(slot, context.subject.benchmark);
  Launch launch;
  if (duet && !plan.only) {
    launch = play_duet(conversation, context.page, plan, context.settings.cpus);
  } else {
    launch = launch_of(
        paged ? steps_by_page(conversation, context.page, plan) : steps_by_lines(conversation, plan), plan);
  }
  Left left;
  for (std::size_t slot = 0; slot < 2; ++slot) finish(context, slot, conversation, slot, launch, left);
  for (std::size_t slot = 0; slot < 2; ++slot) close(context, slot, stop, left);
  return samples_of(context, std::move(launch), std::move(left));
}

/// All slices of one side, then all of the other, each in a process that has the machine to itself.
std::vector<Sampled> launch_in_turn(const SlicedLaunch& context, const std::stop_token& stop) {
  const LaunchPlan& plan = context.plan;
  Launch launch = empty_launch(plan);
  Left left;
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const Side side = plan.side_of(slot);
    if (plan.only && *plan.only != side) continue;
    open_slot(context, slot, stop);
    Conversation conversation = context.converse(stop);
    const std::size_t child = context.start(conversation, slot);
    conversation.greet(child, false, slot);
    conversation.select(child, context.subject.benchmark);
    auto& values = launch.of(side);
    for (std::size_t slice = 0; slice < plan.shape.warm_up_pairs + plan.shape.pairs; ++slice) {
      const auto elapsed = static_cast<double>(conversation.run(child, plan.shape.iterations_of(side)));
      if (slice >= plan.shape.warm_up_pairs) {
        values.push_back(elapsed / static_cast<double>(plan.shape.iterations));
      }
    }
    finish(context, slot, conversation, child, launch, left);
    close(context, slot, stop, left);
  }
  return samples_of(context, std::move(launch), std::move(left));
}

}  // namespace

std::vector<Sampled> launch_slices(const HostSettings& settings, const ProgramPair& pair,
                                   const Subject& subject, const LaunchPlan& plan,
                                   const std::stop_token& stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  SharedPage page;
  const SlicedLaunch context{{settings, pair, plan, copies}, subject, page};
  const bool in_turn =
      plan.shape.pairing == Pairing::process || plan.shape.pairing == Pairing::process_together;
  return in_turn ? launch_in_turn(context, stop) : launch_side_by_side(context, stop);
}

}  // namespace tandem::runners
