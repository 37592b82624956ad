#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/confirmation.hpp"

namespace tandem::analysis {

/// How soon a drift is called. The defaults see a lasting move of one deviation after about ten points and
/// call two in a thousand points falsely, both directions together.
struct DriftSettings {
  double slack = 0.5;                ///< k, in deviations: a move of less than that does not add up
  double threshold = 5.0;            ///< h, in deviations
  double smallest_deviation = 5e-4;  ///< the floor of a point's deviation, which is itself an estimate
};

/// One point of a history against a pinned anchor: ln(commit / anchor) and the standard deviation of that.
struct DriftPoint {
  double value = 0;
  double deviation = 0;
};

/// What has added up in one direction since the sum was last 0.
struct DriftSum {
  double sum = 0;         ///< in deviations
  std::size_t since = 0;  ///< index of the point at which it began
  double precision = 0;   ///< of the points since then, each with one over its variance
  double weighted = 0;    ///< sum of their distances from the reference, each times its precision
};

/// Where the level is compared with: `given`, or `learned` from the points seen since the last break or
/// alarm.
enum class DriftReference { given, learned };

/// All that has to be stored between two points. Plain numbers; a new one starts at a given reference of 0,
/// the anchor itself.
struct DriftState {
  DriftReference reference = DriftReference::given;
  double level = 0;        ///< of the reference
  double precision = 0;    ///< of a learned level; 0: no point yet
  std::size_t points = 0;  ///< seen in all, never reset: they give the indices
  DriftSum up = {};
  DriftSum down = {};
};

/// A lasting move of the level.
struct DriftAlarm {
  Direction direction = Direction::slower;
  std::size_t since = 0;  ///< index of the first point that belongs to it
  std::size_t at = 0;     ///< index of the point that made it certain
  double size = 0;        ///< ln, signed: the mean distance of the points since then from the reference
};

/// The state after one more point: two one-sided cumulative sums (Page, 1954) of the distance from the
/// reference, in deviations. A distance counts only up to three, so that no single point makes an alarm. A
/// learned level follows the points (Hawkins' self-starting form: each point is compared with those before
/// it). Throws Error when the point is not of finite numbers, the deviation not negative.
[[nodiscard]] DriftState advance(DriftState state, const DriftPoint& point,
                                 const DriftSettings& settings = {});

/// The drift that the state stands for; ask after every point.
[[nodiscard]] std::optional<DriftAlarm> alarm_of(const DriftState& state, const DriftSettings& settings = {});

/// To go on after an alarm: the new reference is the level that the alarm found, so that the same move is not
/// called again.
[[nodiscard]] DriftState after_alarm(const DriftState& state, const DriftAlarm& alarm);

/// To go on after a break, such as another kernel: nothing before it is compared with anything after it.
[[nodiscard]] DriftState after_break(const DriftState& state);

/// Where a history went from one level to another: all of the move, but for the noise, is between the point
/// before `first` and `last`. A single step has first == last.
struct DriftRange {
  std::size_t first = 0;  ///< the first point off the old level
  std::size_t last = 0;   ///< the first point at the new level
  double size = 0;        ///< new level less the old one
};

/// The shortest range within the points [from, to) that explains their change: a level, an even rise or fall,
/// a level, fitted by least squares, no worse than the best such fit by more than noise makes. Outliers are
/// pulled in first. nullopt where there are fewer than four points or the change is smaller, without its
/// sign, than `smallest`. Quadratic in the number of points: meant for up to a thousand. Throws Error when a
/// value is not finite or the points are not there.
[[nodiscard]] std::optional<DriftRange> drift_range(std::span<const double> values, std::size_t from,
                                                    std::size_t to, double smallest);

}  // namespace tandem::analysis
