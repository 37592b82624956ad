#include "daemon/idle/anchors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/drift.hpp"
#include "analysis/statistics.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t week_seconds = 7 * 24 * 60 * 60;
constexpr std::int64_t first_monday = 4 * 24 * 60 * 60;  // 1970-01-01 was a Thursday
constexpr std::size_t fewest_launches = 3;
/// Points of one benchmark cannot be told apart better than this share of the margin: layouts differ.
constexpr double smallest_deviation = 0.1;

using Point = std::vector<store::StoredPoint>::const_iterator;

/// By the last three, of which one may be wild.
double latest_level(Point first, Point last) {
  std::vector<double> values;
  for (Point one = last; values.size() < 3; --one) {
    values.push_back(one->value);
    if (one == first) break;
  }
  return analysis::median(values).value_or(0);
}

}  // namespace

const char* name_of(Span span) {
  return span == Span::week ? "week" : "month";
}

std::int64_t month_of(std::int64_t seconds) {
  using namespace std::chrono;
  const year_month_day day{floor<days>(sys_seconds{std::chrono::seconds{seconds}})};
  return (static_cast<int>(day.year()) - 1970) * std::int64_t{12} + static_cast<unsigned>(day.month()) - 1;
}

std::vector<std::int64_t> times_of(const Line& line) {
  std::vector<std::int64_t> times;
  std::int64_t latest = INT64_MIN;
  for (std::size_t at = 0; at < line.commits.size(); ++at) {
    const std::int64_t week_ends = first_monday + (line.weeks[at] + 1) * week_seconds - 1;
    latest = std::max(latest, std::min(line.commits[at].committer_time, week_ends));
    times.push_back(latest);
  }
  return times;
}

std::optional<std::size_t> anchor_of(const Line& line, const AnchorQuestion& question, Span span) {
  const auto times = times_of(line);
  const auto period = [&](std::size_t at) {
    return span == Span::week ? line.weeks[at] : month_of(times[at]);
  };
  const auto serves = [&](std::size_t at) {
    return line.leads_to(at, question.newest) && question.usable(at);
  };
  std::size_t first = question.newest;
  while (first > 0 && period(first - 1) == period(question.newest)) --first;
  if (question.level) first = std::max(first, *question.level);
  for (std::size_t at = first; at < question.newest; ++at) {
    if (serves(at)) return at;
  }
  return std::nullopt;
}

std::optional<double> drift_at_end(const std::vector<store::StoredPoint>& points, double margin) {
  if (points.empty()) return std::nullopt;
  const auto belongs = [&](const store::StoredPoint& one) {
    return one.anchor == points.back().anchor && one.environment == points.back().environment;
  };
  auto first = std::prev(points.end());
  while (first != points.begin() && belongs(*std::prev(first))) --first;

  analysis::DriftSettings settings;
  settings.smallest_deviation = smallest_deviation * margin;
  analysis::DriftState state;
  const bool broken = first != points.begin() && std::prev(first)->anchor == first->anchor;
  if (broken) state = analysis::after_break(state);
  std::optional<double> moved;
  for (auto point = first; point != points.end(); ++point) {
    state = analysis::advance(state, {point->value, point->deviation}, settings);
    auto alarm = analysis::alarm_of(state, settings);
    // Its own size is cautious to a fault: far points count as near ones.
    if (alarm) alarm->size = latest_level(first, point) - state.level;
    // A smaller one goes on adding up: taken for the new level it would hide the next step.
    const bool counts = alarm && std::abs(alarm->size) >= std::log1p(margin / 2);
    moved = counts ? std::optional(alarm->size) : std::nullopt;
    if (counts) state = analysis::after_alarm(state, *alarm);
  }
  return moved;
}

std::optional<AnchorValue> value_of(const analysis::Verdict& verdict, specs::Direction direction) {
  const std::size_t good = verdict.launches - std::min(verdict.failed_launches, verdict.launches);
  if (good < fewest_launches || !(verdict.ratio.estimate > 0) || !std::isfinite(verdict.ratio.estimate)) {
    return std::nullopt;
  }
  const double sign = direction == specs::Direction::higher_is_better ? -1 : 1;
  return AnchorValue{sign * std::log(verdict.ratio.estimate),
                     verdict.sigma / std::sqrt(static_cast<double>(good))};
}

}  // namespace tandem::daemon
