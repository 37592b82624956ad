#pragma once

#include "evaluation/evidence/rivals/call.hpp"

namespace tandem::evaluation::rival {

/// The rules that rest on the rank-sum test; which side is the slower one is read off the medians.

/// google/benchmark, tools/gbench/report.py: p < 0.05 by scipy's mannwhitneyu, two-sided; from nine
/// repetitions on it does not warn that they are few.
[[nodiscard]] Call google_benchmark(const Values& values);

/// golang.org/x/perf, benchmath/anone.go, which is benchstat's default: p < 0.05 by the exact distribution up
/// to 50 values (25 with ties; here 50); else it prints "~".
[[nodiscard]] Call benchstat(const Values& values);

/// airspeed-velocity/asv, asv/_stats.py and asv/commands/compare.py: p < 0.002 by the exact distribution (up
/// to 20 values), and the medians apart by more than a factor of 1.1. It breaks ties the cautious way, here
/// they count half.
[[nodiscard]] Call asv(const Values& values);

}  // namespace tandem::evaluation::rival
