#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runners/conversation.hpp"
#include "runners/descriptor.hpp"
#include "runners/launch_command.hpp"
#include "runners/program_copies.hpp"
#include "runners/sdk/tandem.hpp"
#include "specs/error.hpp"

namespace tandem::runners {
namespace {

/// The memory through which the two programs hand slices over to each other; new for every launch.
class SharedPage {
 public:
  SharedPage() : file_(::memfd_create("tandem-page", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (file_.get() < 0 || ::ftruncate(file_.get(), sizeof(Page)) != 0) fail();
    // A program that cut it off would take everyone who reads it along.
    if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail();
    void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (memory == MAP_FAILED) fail();
    page_ = static_cast<Page*>(memory);
    page_->magic = Page::magic_value;
  }
  ~SharedPage() { ::munmap(page_, sizeof(Page)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  Page* operator->() const { return page_; }

 private:
  [[noreturn]] static void fail() {
    throw Error(fmt::format("cannot make a shared page: {}", std::strerror(errno)));
  }
  OwnedDescriptor file_;
  Page* page_ = nullptr;
};

/// Elapsed nanoseconds of every step, in the plan's order.
using Steps = std::vector<std::uint64_t>;

Steps by_page(Conversation& conversation, SharedPage& page, const LaunchPlan& plan) {
  if (plan.order.size() > Page::most_steps)
    throw Error("a launch with more slices than the shared page holds");
  page->steps = static_cast<std::uint32_t>(plan.order.size());
  page->iterations = plan.shape.iterations;
  std::copy(plan.order.begin(), plan.order.end(), page->order);
  page->turn.store(0, std::memory_order_release);
  // The side that begins is asked last, so that the other is already waiting when the first hand-over comes.
  const std::size_t begins = plan.order.front();
  conversation.start_turns(1 - begins);
  conversation.start_turns(begins);
  std::array<std::uint32_t, 2> taken{};
  for (std::size_t slot = 0; slot < 2; ++slot) {
    try {
      taken[slot] = conversation.finish_turns(slot);
    } catch (const Broken& broken) {
      // While one side is silent the other waits for its turn: blame the one whose turn it is.
      const std::uint32_t turn = page->turn.load(std::memory_order_acquire);
      if (broken.failure.reason == RunFailure::Reason::timed_out && turn < plan.order.size()) {
        conversation.late(plan.order[turn], "in its slice");
      }
      throw;
    }
  }
  Steps steps;
  steps.reserve(plan.order.size());
  std::uint64_t previous_end = 0;
  std::array<std::uint32_t, 2> expected{};
  for (std::size_t step = 0; step < plan.order.size(); ++step) {
    const std::size_t slot = plan.order[step];
    ++expected[slot];
    const Page::Slice slice = page->slices[slot][step];
    if (slice.begin_ns < previous_end || slice.end_ns <= slice.begin_ns) {
      conversation.breach(slot, fmt::format("ran slice {} at another time than its turn", step));
    }
    previous_end = slice.end_ns;
    steps.push_back(slice.end_ns - slice.begin_ns);
  }
  for (std::size_t slot = 0; slot < 2; ++slot) {
    if (taken[slot] != expected[slot]) {
      conversation.breach(slot, fmt::format("took {} turns of {}", taken[slot], expected[slot]));
    }
  }
  return steps;
}

Steps by_lines(Conversation& conversation, const LaunchPlan& plan) {
  const bool frozen = plan.shape.waiting == SliceShape::Waiting::frozen;
  if (frozen) {
    conversation.freeze(0);
    conversation.freeze(1);
  }
  Steps steps;
  steps.reserve(plan.order.size());
  for (const std::uint8_t slot : plan.order) {
    if (frozen) conversation.thaw(slot);
    steps.push_back(conversation.run(slot, plan.shape.iterations));
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
    return static_cast<double>(steps[step]) / static_cast<double>(plan.shape.iterations);
  };
  for (std::size_t pair = plan.shape.warm_up_pairs; pair < plan.shape.warm_up_pairs + plan.shape.pairs;
       ++pair) {
    const Side first = plan.side_of(plan.order[2 * pair]);
    const double earlier = per_iteration(2 * pair);
    const double later = per_iteration(2 * pair + 1);
    launch.first.push_back(first);
    launch.control.push_back(first == Side::control ? earlier : later);
    launch.treatment.push_back(first == Side::control ? later : earlier);
  }
  return launch;
}

}  // namespace

LaunchResult launch_slices(const HostSettings& settings, const ProgramPair& pair, const Subject& subject,
                           const LaunchPlan& plan, std::stop_token stop) {
  const ProgramCopies copies(settings.scratch, pair, plan);
  SharedPage page;
  Conversation conversation(plan.index, Children::Clock::now() + pair.deadline.value_or(settings.deadline),
                            std::move(stop));
  const bool frozen = plan.shape.waiting == SliceShape::Waiting::frozen;
  try {
    for (std::size_t slot = 0; slot < 2; ++slot) {
      Command command = command_in_slot(settings, pair, plan, slot, pair.commands.back(), copies);
      leave_undisturbed(command);
      if (frozen) command.cpus = settings.cpus.all;
      conversation.start(plan.side_of(slot), command,
                         {settings.output_bytes, Children::Options::Channel::yes, page.descriptor()});
    }
    bool paged = !frozen;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const bool maps = conversation.greet(slot, !frozen, slot);
      paged = paged && maps;
    }
    for (std::size_t slot = 0; slot < 2; ++slot) conversation.select(slot, subject.benchmark);
    const Steps steps = paged ? by_page(conversation, page, plan) : by_lines(conversation, plan);
    for (std::size_t slot = 0; slot < 2; ++slot) conversation.quit(slot);

    Launch launch = launch_of(steps, plan);
    launch.control_usage = conversation.children().finished(plan.slot_of(Side::control)).usage;
    launch.treatment_usage = conversation.children().finished(plan.slot_of(Side::treatment)).usage;
    return std::vector<Sampled>{{subject.benchmark, specs::Metric{}, std::move(launch)}};
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

}  // namespace tandem::runners
