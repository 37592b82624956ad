#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runners/pairing/pairing.hpp"
#include "runners/pairing/samples.hpp"

namespace tandem::runners {

/// How one launch of a sliced program is cut: set on the control, equal on both sides, fixed before the
/// launch.
struct SliceShape {
  std::uint64_t iterations = 1;   ///< per slice
  std::size_t pairs = 2;          ///< that count; even, so that each order has exactly half of them
  std::size_t warm_up_pairs = 2;  ///< run first and thrown away; in a duet again after the swap of the cores
  enum class Waiting {
    blocked,
    frozen
  } waiting = Waiting::blocked;  ///< frozen: programs with several threads, which get more processors
  Pairing pairing = Pairing::alternate;
  /// More work for the treatment alone, as a share of the iterations: the positive control of a calibration.
  /// Values stay per iteration of the control, so that a sound measurement finds 1 + this.
  double treatment_extra = 0;

  [[nodiscard]] std::uint64_t iterations_of(Side side) const;
};

/// Everything about one launch that chance decides, drawn before it starts.
///
/// Slots carry every attribute that is not the build: start order, copy, padding, half of the shared page.
/// The coin gives slot 0 to one side; it is never balanced in blocks, which is what makes the tests of
/// `analysis` exact.
struct LaunchPlan {
  std::uint64_t index = 0;
  Side first_slot = Side::control;
  std::array<std::size_t, 2> padding_bytes{};  ///< of the environment, by slot: 0 to 4096 in steps of 16
  std::uint64_t program_seed = 1;              ///< TANDEM_SEED, equal on both sides
  SliceShape shape;
  std::vector<std::uint8_t> order;  ///< the slot of each step; steps 2i and 2i+1 make pair i. Not of a duet.
  std::optional<Side> only = {};    ///< the one side that has steps; nothing: both
  /// Whether metrics that need runs of their own (instructions, golden output) are taken after this launch.
  enum class ExtraRuns { no, yes } extra_runs = ExtraRuns::no;

  [[nodiscard]] Side side_of(std::size_t slot) const { return slot == 0 ? first_slot : other(first_slot); }
  [[nodiscard]] std::size_t slot_of(Side side) const { return side == first_slot ? 0 : 1; }
};

/// A launch of this plan without values and resources.
[[nodiscard]] Launch empty_launch(const LaunchPlan& plan);

/// Pure: the same seed, index and shape give the same plan.
[[nodiscard]] LaunchPlan plan_launch(std::uint64_t seed, std::uint64_t index, const SliceShape& shape);

/// The same launch with slices of one side only, the other alive and waiting: what a benchmark takes alone.
/// The launch has values of that side and none of the other.
[[nodiscard]] LaunchPlan alone(const LaunchPlan& plan, Side side);

/// The same plan with the two sides' slots exchanged: the second launch of a confirmation unit.
[[nodiscard]] LaunchPlan opposite(const LaunchPlan& plan);

/// Fits slices into a launch as the arrangement wishes, within sane bounds: threads lengthen the slices.
[[nodiscard]] SliceShape shape_for(const BenchmarkFacts& facts, const Arrangement& arrangement);

}  // namespace tandem::runners
