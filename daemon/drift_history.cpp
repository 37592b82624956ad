#include "daemon/drift_history.hpp"

#include <cmath>
#include <map>

#include "analysis/change_points.hpp"
#include "analysis/drift_range.hpp"

namespace tandem::daemon {
namespace {

/// What is looked at again with every point; older changes were said when they were seen.
constexpr std::size_t newest_points = 400;

analysis::ChangePointSettings settings_for(double margin) {
  analysis::ChangePointSettings settings;
  settings.minimum_size = std::log1p(margin / 4);
  return settings;
}

/// The changes of level, once enough points lie after them to place them well.
std::vector<analysis::ChangePoint> lasting(std::span<const double> levels, double margin) {
  constexpr std::size_t points_after = 8;
  auto changes = analysis::change_points(levels, settings_for(margin));
  std::erase_if(changes, [&](const auto& one) { return one.index + points_after > levels.size(); });
  return changes;
}

bool knows(const std::vector<analysis::ChangePoint>& known, const analysis::ChangePoint& one) {
  constexpr std::size_t blur = 3;  // a change may be placed a little differently with one point more
  for (const auto& other : known) {
    const std::size_t apart = other.index > one.index ? other.index - one.index : one.index - other.index;
    if (apart <= blur) return true;
  }
  return false;
}

}  // namespace

std::vector<double> levels_of(const std::vector<store::StoredPoint>& points) {
  std::vector<double> levels;
  std::map<std::string, double> level_of_commit;
  double offset = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    const bool begins = i == 0 || points[i - 1].anchor != point.anchor;
    const bool breaks = i > 0 && points[i - 1].environment != point.environment;
    if (begins && i > 0) {
      const auto known = level_of_commit.find(point.anchor);
      offset = known != level_of_commit.end() ? known->second : levels.back() - point.value;
    } else if (breaks) {
      offset = levels.back() - point.value;
    }
    levels.push_back(offset + point.value);
    level_of_commit[point.commit] = levels.back();
  }
  return levels;
}

std::optional<LastingChange> change_by_newest(const std::vector<store::StoredPoint>& points, double margin) {
  const auto levels = levels_of(points);
  const std::size_t skipped = levels.size() > newest_points ? levels.size() - newest_points : 0;
  const std::span<const double> looked_at = std::span(levels).subspan(skipped);
  if (looked_at.size() < 2) return std::nullopt;
  const auto now = lasting(looked_at, margin);
  const auto before = lasting(looked_at.first(looked_at.size() - 1), margin);
  for (auto change = now.rbegin(); change != now.rend(); ++change) {
    if (change->index == 0 || knows(before, *change)) continue;
    return LastingChange{points[skipped + change->index - 1].commit, points[skipped + change->index].commit,
                         change->after - change->before};
  }
  return std::nullopt;
}

std::optional<LastingChange> range_of_drift(const std::vector<store::StoredPoint>& points, double margin) {
  if (points.empty()) return std::nullopt;
  std::size_t first = points.size() - 1;
  while (first > 0 && points[first - 1].anchor == points.back().anchor &&
         points[first - 1].environment == points.back().environment) {
    --first;
  }
  if (points.size() - first > newest_points) first = points.size() - newest_points;
  std::vector<double> values = {0};  // the anchor itself
  for (std::size_t i = first; i < points.size(); ++i) values.push_back(points[i].value);
  const auto range = analysis::drift_range(values, 0, values.size(), std::log1p(margin / 4));
  if (!range || range->first == 0) return std::nullopt;
  const auto commit_of = [&](std::size_t value) {
    return value == 0 ? points.back().anchor : points[first + value - 1].commit;
  };
  return LastingChange{commit_of(range->first - 1), commit_of(range->last), range->size};
}

}  // namespace tandem::daemon
