#include "analysis/drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/launch_statistics.hpp"
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

namespace {

// In variances of a point: what the best place of one end gains by chance alone in 19 of 20 histories (3.84).
constexpr double gained_by_chance = 4.0;

struct Fit {
  double explained = 0.0;  ///< scatter that the shape takes away
  double size = 0.0;
};

/// Fits shapes to points whose mean is 0: 0 up to a place, an even rise over `length` points, 1 from there
/// on.
class Ramps {
 public:
  explicit Ramps(const std::vector<double>& values)
      : count_(values.size()), sums_(count_ + 1), moments_(count_ + 1) {
    for (std::size_t i = 0; i < count_; ++i) {
      sums_[i + 1] = sums_[i] + values[i];
      moments_[i + 1] = moments_[i] + values[i] * static_cast<double>(i);
    }
  }

  /// `first` is the first point above 0, `first + length − 1` the first at 1.
  [[nodiscard]] Fit fit(std::size_t first, std::size_t length) const {
    const std::size_t end = first + length;
    const auto steps = static_cast<double>(length);
    const auto n = static_cast<double>(count_);
    const auto at_one = static_cast<double>(count_ - end);
    const double before = static_cast<double>(first) - 1;
    // The rise takes the values 1/steps, 2/steps … 1.
    const double sum = (steps + 1) / 2 + at_one;
    const double squares = (steps + 1) * (2 * steps + 1) / (6 * steps) + at_one;
    const double product = (moments_[end] - moments_[first] - before * (sums_[end] - sums_[first])) / steps +
                           sums_[count_] - sums_[end];
    const double scatter = squares - sum * sum / n;
    return {product * product / scatter, product / scatter};
  }

 private:
  std::size_t count_;
  std::vector<double> sums_;
  std::vector<double> moments_;
};

std::vector<double> without_outliers(std::span<const double> values) {
  const double deviation = local_deviation(values);
  std::vector<double> calm(values.size());
  double mean = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    calm[i] = pulled_in(values[i], local_median(values, i), deviation);
    mean += calm[i] / static_cast<double>(values.size());
  }
  for (double& value : calm) value -= mean;
  return calm;
}

}  // namespace

std::optional<DriftRange> drift_range(std::span<const double> values, std::size_t from, std::size_t to,
                                      double smallest) {
  if (from > to || to > values.size()) throw Error("a range of points that the history does not have");
  const auto points = values.subspan(from, to - from);
  double scatter = 0.0;
  for (const double value : points) {
    if (!std::isfinite(value)) throw Error("a history holds a value that is not a finite number");
  }
  if (points.size() < 4) return std::nullopt;
  const std::vector<double> calm = without_outliers(points);
  for (const double value : calm) scatter += value * value;

  const Ramps ramps(calm);
  const std::size_t count = calm.size();
  std::vector<DriftRange> best_of_length(count);
  std::vector<double> explained(count, 0.0);
  double most = 0.0;
  for (std::size_t length = 1; length < count; ++length) {
    for (std::size_t first = 1; first + length <= count; ++first) {
      const Fit fit = ramps.fit(first, length);
      if (fit.explained <= explained[length]) continue;
      explained[length] = fit.explained;
      best_of_length[length] = {from + first, from + first + length - 1, fit.size};
    }
    most = std::max(most, explained[length]);
  }
  const double variance = std::max(0.0, scatter - most) / static_cast<double>(count);
  const double enough = most - gained_by_chance * variance;
  std::size_t length = 1;
  while (explained[length] < enough) ++length;
  const DriftRange range = best_of_length[length];
  if (range.size == 0.0 || std::abs(range.size) < smallest) return std::nullopt;
  return range;
}

}  // namespace tandem::analysis
