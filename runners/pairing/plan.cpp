#include "runners/pairing/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "specs/foundation/random.hpp"

namespace tandem::runners {
namespace {

constexpr std::size_t padding_steps = 257;  // 0, 16, …, 4096 bytes
constexpr std::size_t fewest_pairs = 4;
constexpr std::size_t most_pairs = 2000;  // with warm-up well inside the shared page

/// Slices of programs with several threads: shorter ones measure the thawing of the threads. Measured on
/// two-core Intel virtual machines, where 3 ms were just enough; calibration refuses what is too short
/// elsewhere.
constexpr double shortest_frozen_slice_ns = 5e6;
/// By lines a slice costs two messages through the runner: some 50 µs on the hosts that were tried, which are
/// no longer small beside a shorter slice.
constexpr double shortest_line_slice_ns = 5e5;
/// Each side works so long before its slices count, for caches, page tables and the clock frequency to
/// settle. The value is a choice, not a property of a processor: slices that are still cold cost both sides
/// alike.
constexpr double warm_up_ns = 4e6;
constexpr std::size_t most_warm_up_pairs = 100;

/// Which slot goes first in each pair: exactly half of them slot 0, in random order.
std::vector<std::uint8_t> balanced_first_slots(std::size_t pairs, Random& random) {
  std::vector<std::uint8_t> first(pairs);
  for (std::size_t i = 0; i < pairs; ++i) first[i] = static_cast<std::uint8_t>(i % 2);
  for (std::size_t i = pairs; i > 1; --i) std::swap(first[i - 1], first[random.below(i)]);
  return first;
}

}  // namespace

LaunchPlan plan_launch(std::uint64_t seed, std::uint64_t index, const SliceShape& shape) {
  Random random(seed ^ (index * 0xd1342543de82ef95));
  LaunchPlan plan;
  plan.index = index;
  plan.first_slot = random.coin() ? Side::control : Side::treatment;
  for (std::size_t& bytes : plan.padding_bytes) bytes = 16 * random.below(padding_steps);
  plan.program_seed = random.next() >> 1;
  plan.shape = shape;
  for (const std::size_t pairs : {shape.warm_up_pairs, shape.pairs}) {
    for (const std::uint8_t first : balanced_first_slots(pairs, random)) {
      plan.order.push_back(first);
      plan.order.push_back(static_cast<std::uint8_t>(1 - first));
    }
  }
  return plan;
}

Launch empty_launch(const LaunchPlan& plan) {
  Launch launch;
  launch.index = plan.index;
  launch.first_slot = plan.first_slot;
  return launch;
}

LaunchPlan opposite(const LaunchPlan& plan) {
  LaunchPlan swapped = plan;
  swapped.first_slot = other(plan.first_slot);
  return swapped;
}

LaunchPlan alone(const LaunchPlan& plan, Side side) {
  LaunchPlan single = plan;
  single.only = side;
  single.order.assign(plan.order.size() / 2, static_cast<std::uint8_t>(plan.slot_of(side)));
  return single;
}

std::uint64_t SliceShape::iterations_of(Side side) const {
  if (side == Side::control || treatment_extra == 0) return iterations;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(iterations) * (1 + treatment_extra)));
}

SliceShape shape_for(const BenchmarkFacts& facts, const Arrangement& arrangement) {
  SliceShape shape;
  shape.pairing = arrangement.pairing;
  if (facts.threads > 1) shape.waiting = SliceShape::Waiting::frozen;
  const bool frozen = facts.threads > 1 && arrangement.pairing == Pairing::alternate;
  auto slice_ns = static_cast<double>(arrangement.slice.count());
  if (frozen) slice_ns = std::max(slice_ns, shortest_frozen_slice_ns);
  if (!facts.maps_page) slice_ns = std::max(slice_ns, shortest_line_slice_ns);
  shape.iterations =
      static_cast<std::uint64_t>(std::clamp(std::round(slice_ns / facts.iteration_ns), 1.0, 1e12));
  const double real_slice_ns = facts.iteration_ns * static_cast<double>(shape.iterations);
  const double fitting = static_cast<double>(arrangement.launch_time.count()) / (2 * real_slice_ns);
  shape.pairs =
      2 * static_cast<std::size_t>(std::clamp(fitting, double{fewest_pairs}, double{most_pairs}) / 2);
  const auto warming = static_cast<std::size_t>(std::ceil(warm_up_ns / real_slice_ns));
  shape.warm_up_pairs =
      std::max<std::size_t>({1, shape.pairs / 20, std::min<std::size_t>(warming, most_warm_up_pairs)});
  return shape;
}

}  // namespace tandem::runners
