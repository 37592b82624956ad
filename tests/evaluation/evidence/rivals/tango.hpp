#pragma once

#include "evaluation/evidence/rivals/call.hpp"

namespace tandem::evaluation::rival {

/// bazhenov/tango, tango-bench/src/{lib,cli}.rs: over the pairs of one run, which is one launch, the mean
/// difference over its standard error is at least 2.6 (99 %), and it is more than 1 % of the control's mean.
/// The filter of outliers, which is optional there and takes equally many from both ends, is on.
[[nodiscard]] Call tango(const LaunchRow& launch);

}  // namespace tandem::evaluation::rival
