#include "runners/slice_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/error.hpp"

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

}  // namespace tandem::runners
