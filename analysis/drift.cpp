#include "analysis/drift.hpp"

#include <algorithm>
#include <cmath>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

// In deviations. Of normal points one in 370 is clipped, which does not change the false alarms.
constexpr double furthest = 3.0;

/// `distance` is turned so that the direction of the sum is up.
void add(DriftSum& sum, double standardised, double distance, double precision, double slack,
         std::size_t index) {
  const double next = sum.sum + standardised - slack;
  if (next <= 0.0) {
    sum = {};
    return;
  }
  if (sum.sum == 0.0) sum.since = index;
  sum.sum = next;
  sum.precision += precision;
  sum.weighted += distance * precision;
}

DriftAlarm alarm(const DriftSum& sum, Direction direction, std::size_t points) {
  const double size = sum.weighted / sum.precision;
  return {direction, sum.since, points - 1, direction == Direction::slower ? size : -size};
}

}  // namespace

DriftState advance(DriftState state, const DriftPoint& point, const DriftSettings& settings) {
  if (!std::isfinite(point.value) || !std::isfinite(point.deviation) || point.deviation < 0.0) {
    throw Error("a point of a drift is not made of finite numbers");
  }
  const double deviation = std::max(point.deviation, settings.smallest_deviation);
  const double precision = 1 / (deviation * deviation);
  const bool learned = state.reference == DriftReference::learned;
  const std::size_t index = state.points++;
  if (!learned || state.precision > 0.0) {
    const double distance = point.value - state.level;
    const double variance = deviation * deviation + (learned ? 1 / state.precision : 0.0);
    const double standardised = std::clamp(distance / std::sqrt(variance), -furthest, furthest);
    const double counted = standardised * std::sqrt(variance);
    add(state.up, standardised, counted, precision, settings.slack, index);
    add(state.down, -standardised, -counted, precision, settings.slack, index);
    if (learned) {
      state.precision += precision;
      state.level += counted * precision / state.precision;
    }
  } else {
    state.level = point.value;
    state.precision = precision;
  }
  return state;
}

std::optional<DriftAlarm> alarm_of(const DriftState& state, const DriftSettings& settings) {
  if (state.up.sum > settings.threshold) return alarm(state.up, Direction::slower, state.points);
  if (state.down.sum > settings.threshold) return alarm(state.down, Direction::faster, state.points);
  return std::nullopt;
}

DriftState after_alarm(const DriftState& state, const DriftAlarm& alarm) {
  DriftState next = after_break(state);
  const DriftSum& sum = alarm.direction == Direction::slower ? state.up : state.down;
  next.level = state.level + alarm.size;
  next.precision = sum.precision;
  return next;
}

DriftState after_break(const DriftState& state) {
  return {.reference = DriftReference::learned, .points = state.points};
}

}  // namespace tandem::analysis
