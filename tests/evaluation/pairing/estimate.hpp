#pragma once

#include <cstdint>

#include "evaluation/pairing/arrangement.hpp"
#include "evaluation/pairing/rows.hpp"

namespace tandem::evaluation {

/// One estimate of treatment / control in about `seconds` of machine time, starts of processes included. Of
/// the row only the workload, the per cent and the method are left to the caller.

/// The median over the launches of one arrangement.
[[nodiscard]] Row estimate_paired(runners::PairRunner& runner, const Ground& ground,
                                  const runners::Arrangement& arrangement, double seconds,
                                  std::uint64_t seed);

/// What most people do: all launches of the control, then all of the treatment, median by median. The slices
/// are those of `process`.
[[nodiscard]] Row estimate_one_after_the_other(runners::PairRunner& runner, const Ground& ground,
                                               double seconds, std::uint64_t seed);

}  // namespace tandem::evaluation
