#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "runners/pairing/slices.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

/// How finely the early finisher goes on working: it is late for the next slice by at most this share of one.
constexpr std::uint64_t fillers_per_slice = 32;

/// Moves every thread of the program. A thread that ended meanwhile is gone; a new one is its parent's child
/// and inherits where that is allowed to run.
void move_program(int pid, const std::vector<int>& cpus) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    const std::string name = task.path().filename();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) move_thread(thread, cpus);
  }
}

/// One half of the launch: `steps` slices of both sides.
void play_half(Conversation& conversation, SharedPage& page, std::uint32_t steps) {
  page->steps = steps;
  for (Page::Place& place : page->places) {
    place.arrived.store(0, std::memory_order_relaxed);
    place.done.store(0, std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t slot = 0; slot < 2; ++slot) conversation.start_slices(slot, "duet");
  for (std::size_t slot = 0; slot < 2; ++slot) {
    std::uint32_t played = 0;
    try {
      played = conversation.finish_slices(slot);
    } catch (const LaunchFailed& failed) {
      // The one that did not finish the step which the other has finished is the silent one.
      const std::array<std::uint32_t, 2> done = {page->places[0].done.load(std::memory_order_acquire),
                                                 page->places[1].done.load(std::memory_order_acquire)};
      if (failed.failure.reason == RunFailure::Reason::timed_out && done[0] != done[1]) {
        conversation.late(done[0] < done[1] ? 0 : 1, "in its slice");
      }
      throw;
    }
    if (played != steps) conversation.breach(slot, fmt::format("played {} slices of {}", played, steps));
  }
}

}  // namespace

Launch play_duet(Conversation& conversation, SharedPage& page, const LaunchPlan& plan,
                 const CpuChoice& cpus) {
  const SliceShape& shape = plan.shape;
  const std::size_t steps = shape.warm_up_pairs + shape.pairs / 2;
  if (steps > Page::most_steps) throw Error("a launch with more slices than the shared page holds");
  Launch launch = empty_launch(plan);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    page->iterations[slot] = shape.iterations_of(plan.side_of(slot));
  }
  page->filler = std::max<std::uint64_t>(1, shape.iterations / fillers_per_slice);
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t slot = 0; half == 1 && slot < 2; ++slot) {
      move_program(conversation.children().program_pid(slot), cpus.duet.at(1 - slot));
    }
    play_half(conversation, page, static_cast<std::uint32_t>(steps));
    std::array<std::uint64_t, 2> previous_end{};
    for (std::size_t step = 0; step < steps; ++step) {
      std::array<double, 2> value{};  // by side
      std::array<std::uint64_t, 2> begin{};
      for (std::size_t slot = 0; slot < 2; ++slot) {
        const Page::Slice slice = page->slices[slot][step];
        if (slice.begin_ns < previous_end.at(slot) || slice.end_ns <= slice.begin_ns) {
          conversation.breach(slot, fmt::format("gives slice {} a time at which it did not run", step));
        }
        previous_end.at(slot) = slice.end_ns;
        begin.at(slot) = slice.begin_ns;
        value.at(static_cast<std::size_t>(plan.side_of(slot))) =
            static_cast<double>(slice.end_ns - slice.begin_ns) / static_cast<double>(shape.iterations);
      }
      if (step < shape.warm_up_pairs) continue;
      launch.control.push_back(value[0]);
      launch.treatment.push_back(value[1]);
      launch.first.push_back(plan.side_of(half));  // the slot that has the first set in this half
      launch.gaps_ns.push_back(std::abs(static_cast<double>(begin[0]) - static_cast<double>(begin[1])));
    }
  }
  return launch;
}

}  // namespace tandem::runners
