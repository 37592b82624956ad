#pragma once

#include <cstdint>
#include <vector>

#include "runners/pairing/plan.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/samples.hpp"
#include "runners/pairing/shared_page.hpp"

namespace tandem::runners {

/// What the slices of a launch took, step by step in the plan's order.
struct Steps {
  std::vector<std::uint64_t> elapsed_ns;
  std::vector<double> gaps_ns;  ///< before each step but the first; empty by lines
};

/// Programs that map the page hand over to each other; a slice outside its turn throws `Broken`.
[[nodiscard]] Steps steps_by_page(Conversation& conversation, SharedPage& page, const LaunchPlan& plan);

/// Every slice is asked for by a line; the waiting side is frozen if the shape says so.
[[nodiscard]] Steps steps_by_lines(Conversation& conversation, const LaunchPlan& plan);

/// The launch without its resources: pairs of steps, or the values of one side if the plan has only one.
[[nodiscard]] Launch launch_of(const Steps& steps, const LaunchPlan& plan);

}  // namespace tandem::runners
