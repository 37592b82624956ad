#pragma once

#include <vector>

#include "evaluation/evidence/recorded/launch_row.hpp"

namespace tandem::evaluation::rival {

/// What a rule says of the treatment. `unstable` is ClickHouse's: too noisy to be judged, and no change is
/// called.
enum class Call { none, slower, faster, unstable };

/// The same call after the two sides were exchanged.
[[nodiscard]] constexpr Call opposite(Call call) {
  if (call == Call::slower) return Call::faster;
  if (call == Call::faster) return Call::slower;
  return call;
}

/// The direction of treatment - control, where a rule has found it to be real.
[[nodiscard]] constexpr Call call_of(double difference) {
  if (difference > 0) return Call::slower;
  if (difference < 0) return Call::faster;
  return Call::none;
}

/// What is told to a rule that knows no pairs: one value by launch of each side.
struct Values {
  std::vector<double> control;
  std::vector<double> treatment;
};

}  // namespace tandem::evaluation::rival
