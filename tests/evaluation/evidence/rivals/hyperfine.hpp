#pragma once

#include "evaluation/evidence/rivals/call.hpp"

namespace tandem::evaluation::rival {

/// The slower mean over the quicker one, and its ± by the propagation of the standard deviations of a run.
struct RelativeSpeed {
  double ratio = 1;
  double deviation = 0;
};

/// sharkdp/hyperfine, src/benchmark/relative_speed.rs. Both sides need at least one value.
[[nodiscard]] RelativeSpeed relative_speed(const Values& values);

/// hyperfine decides nothing. A person who reads "1.05 ± 0.02 times faster" calls it a change if the interval
/// does not reach 1.
[[nodiscard]] Call hyperfine(const Values& values);

}  // namespace tandem::evaluation::rival
