#include "runners/pair_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runners/random.hpp"

namespace tandem::runners {
namespace {

constexpr std::size_t padding_steps = 257;  // 0, 16, …, 4096 bytes
constexpr std::size_t fewest_pairs = 4;
constexpr std::size_t most_pairs = 2000;  // with warm-up well inside the shared page

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

LaunchPlan opposite(const LaunchPlan& plan) {
  LaunchPlan swapped = plan;
  swapped.first_slot = other(plan.first_slot);
  return swapped;
}

SliceShape shape_for(double iteration_ns, double slice_ns, double launch_ns) {
  SliceShape shape;
  shape.iterations = static_cast<std::uint64_t>(std::clamp(std::round(slice_ns / iteration_ns), 1.0, 1e12));
  const double real_slice_ns = iteration_ns * static_cast<double>(shape.iterations);
  const double fitting = launch_ns / (2 * real_slice_ns);
  shape.pairs =
      2 * static_cast<std::size_t>(std::clamp(fitting, double{fewest_pairs}, double{most_pairs}) / 2);
  shape.warm_up_pairs = std::max<std::size_t>(1, shape.pairs / 20);
  return shape;
}

}  // namespace tandem::runners
