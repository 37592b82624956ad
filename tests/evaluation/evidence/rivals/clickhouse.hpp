#pragma once

#include <span>

#include "evaluation/evidence/rivals/call.hpp"

namespace tandem::evaluation::rival {

/// ClickHouse/ClickHouse, tests/performance/scripts. eqmed.sql deals the runs of both sides out anew 10 000
/// times, half to each side; the 0.99 quantile of |difference of medians| is the threshold. compare.sh calls
/// a query changed if its difference is over a floor and not below the threshold, both as shares of the
/// control's median; else unstable if the threshold is over a limit.
///
/// Its README and first version have 5 % for floor and limit, one stored version 10 and 20 %, the newest one
/// 15 and 25 %, all raised by what each query showed in the past. A median of an even number of runs is the
/// upper one of the two in the middle (ClickHouse's medianExact).
struct ClickHouseFloors {
  double changed = 0.05;
  double unstable = 0.05;
};
inline constexpr ClickHouseFloors clickhouse_first = {0.05, 0.05};
inline constexpr ClickHouseFloors clickhouse_newest = {0.15, 0.25};

[[nodiscard]] Call clickhouse(const Values& values, const ClickHouseFloors& floors);

/// The threshold, from all ways to deal the values out and not from 10 000 of them. It needs an equal number
/// of values on both sides, at least one, at most 500; else it throws Error.
[[nodiscard]] double threshold_of_medians(const Values& values);

}  // namespace tandem::evaluation::rival
