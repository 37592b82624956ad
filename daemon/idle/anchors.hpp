#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/control.hpp"

// Pinned commits that the newest one is measured against, so that steps too small to be seen one by one are
// seen when they have added up. Pure.
namespace tandem::daemon {

/// How long an anchor stays pinned.
enum class Span { week, month };
[[nodiscard]] const char* name_of(Span span);  ///< "week", "month"

/// Months since January 1970, by UTC.
[[nodiscard]] std::int64_t month_of(std::int64_t seconds);

/// When each commit of the line counts as made: its committer time, never going back along the line and never
/// after the week that the line gives it.
[[nodiscard]] std::vector<std::int64_t> times_of(const Line& line);

/// What one benchmark knows of the line.
struct AnchorQuestion {
  std::size_t newest = 0;
  std::function<bool(std::size_t)> usable;  ///< examined, builds, has the benchmark
  std::optional<std::size_t> level;         ///< the last confirmed step: what changed there is known already
};

/// The first usable commit of the newest one's week or month that leads to it, or the last confirmed step if
/// that is later. Nothing: there is none before the newest.
[[nodiscard]] std::optional<std::size_t> anchor_of(const Line& line, const AnchorQuestion& question,
                                                   Span span);

/// How far the newest of these points has moved, by all that belong with it: those against the same anchor in
/// the same environment. Only a lasting move of at least half the margin counts, and each such move once.
/// Points before a change of the environment say nothing: what is after it has its own level. Signed, ln.
[[nodiscard]] std::optional<double> drift_at_end(const std::vector<store::StoredPoint>& points,
                                                 double margin);

/// What a screen against an anchor says, as a point of its series.
struct AnchorValue {
  double value = 0;      ///< ln(treatment / control) as a cost
  double deviation = 0;  ///< of that value
};
/// Nothing if fewer than three launches succeeded.
[[nodiscard]] std::optional<AnchorValue> value_of(const analysis::Verdict& verdict,
                                                  specs::Direction direction);

}  // namespace tandem::daemon
