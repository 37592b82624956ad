#pragma once

#include <vector>

#include "evaluation/pairing/arrangement.hpp"
#include "evaluation/pairing/rows.hpp"

namespace tandem::evaluation {

/// What the pairings themselves take, as complete rows of the workload "costs": `hand_over_p50` and `_p99` by
/// the shared page with slices that hold nothing, `duet_skew_p50` and `_p99` between the two begins of slices
/// of 1 ms, both in ns; `inside_100`, `_300` and `_1000`, the share of the time inside slices of so many µs.
/// What fails is a row that says so.
[[nodiscard]] std::vector<Row> costs_of(runners::PairRunner& runner, const Ground& empty, const Ground& busy);

}  // namespace tandem::evaluation
