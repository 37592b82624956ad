#include "analysis/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

constexpr double weaker_at_first = 10.0;

/// The points of one window with their running sums, so that any part of it has its mean and spread at once.
class Window {
 public:
  Window(std::span<const double> values, std::span<const double> medians, const ChangePointSettings& settings)
      : settings_(settings), sums_(values.size() + 1), squares_(values.size() + 1), origin_(medians.front()) {
    const double deviation = local_deviation(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = pulled_in(values[i], medians[i], deviation) - origin_;
      sums_[i + 1] = sums_[i] + value;
      squares_[i + 1] = squares_[i] + value * value;
    }
  }

  [[nodiscard]] std::vector<ChangePoint> changes() const {
    std::vector<std::size_t> bounds = {0, sums_.size() - 1};
    for (std::size_t part = 0; part + 1 < bounds.size();) {
      const auto divided = division(bounds[part], bounds[part + 1]);
      if (divided) {
        bounds.insert(bounds.begin() + static_cast<std::ptrdiff_t>(part) + 1, *divided);
      } else {
        ++part;
      }
    }
    return joined(std::move(bounds));
  }

 private:
  [[nodiscard]] double mean(std::size_t begin, std::size_t end) const {
    return (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }

  [[nodiscard]] double scatter(std::size_t begin, std::size_t end) const {
    const double sum = sums_[end] - sums_[begin];
    return std::max(0.0, squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin));
  }

  /// The t-test at `middle`, times the number of places at which it could have been made.
  [[nodiscard]] ChangePoint change(std::size_t begin, std::size_t middle, std::size_t end) const {
    const double before = mean(begin, middle);
    const double after = mean(middle, end);
    ChangePoint point{middle, origin_ + before, origin_ + after, 1.0};
    if (before == after) return point;
    const auto count = static_cast<double>(end - begin);
    const double variance = (scatter(begin, middle) + scatter(middle, end)) / (count - 2);
    const double weight = 1 / static_cast<double>(middle - begin) + 1 / static_cast<double>(end - middle);
    const double t = variance > 0.0 ? (after - before) / std::sqrt(variance * weight)
                                    : std::numeric_limits<double>::infinity();
    const double places = count - 2 * static_cast<double>(settings_.minimum_segment) + 1;
    point.p_value = std::min(1.0, two_sided_p_value(t, count - 2) * std::max(1.0, places));
    return point;
  }

  /// Where [begin, end) is best divided; nothing if it need not be.
  [[nodiscard]] std::optional<std::size_t> division(std::size_t begin, std::size_t end) const {
    const std::size_t least = settings_.minimum_segment;
    if (end - begin < 2 * least) return std::nullopt;
    const double whole = mean(begin, end);
    const auto count = static_cast<double>(end - begin);
    std::size_t best = begin;
    double most = 0.0;
    for (std::size_t middle = begin + least; middle + least <= end; ++middle) {
      // The scatter that a division here explains, up to a factor: largest where t is.
      const auto first = static_cast<double>(middle - begin);
      const double excess = sums_[middle] - sums_[begin] - whole * first;
      const double explained = excess * excess / (first * (count - first));
      if (explained > most) {
        most = explained;
        best = middle;
      }
    }
    if (best == begin) return std::nullopt;
    if (change(begin, best, end).p_value > weaker_at_first * settings_.significance) return std::nullopt;
    return best;
  }

  /// Removes the weakest bounds until all are significant and large enough.
  [[nodiscard]] std::vector<ChangePoint> joined(std::vector<std::size_t> bounds) const {
    while (true) {
      std::vector<ChangePoint> points;
      std::size_t weakest = 0;
      double weakest_p = -1.0;
      for (std::size_t i = 1; i + 1 < bounds.size(); ++i) {
        points.push_back(change(bounds[i - 1], bounds[i], bounds[i + 1]));
        const ChangePoint& point = points.back();
        const bool too_small = std::abs(point.after - point.before) < settings_.minimum_size;
        const double p = too_small ? 1.0 : point.p_value;
        if (p > weakest_p) {
          weakest_p = p;
          weakest = i;
        }
      }
      if (weakest_p <= settings_.significance) return points;
      bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(weakest));
    }
  }

  const ChangePointSettings& settings_;
  std::vector<double> sums_;
  std::vector<double> squares_;
  double origin_;  // taken off all values: sums of squares about a far level lose their digits
};

}  // namespace

ChangePoints::ChangePoints(const ChangePointSettings& settings) : settings_(settings) {
  if (settings_.minimum_segment < 2 || settings_.window < 4 * settings_.minimum_segment) {
    throw InputError("a level needs two points or more, and a window four times as many as a level");
  }
  if (!(settings_.significance > 0.0 && settings_.significance < 0.1) || !(settings_.minimum_size >= 0.0)) {
    throw InputError("the significance of a change must be below 0.1 and its minimum size not negative");
  }
}

void ChangePoints::append(double value) {
  if (!std::isfinite(value)) throw Error("a history holds a value that is not a finite number");
  values_.push_back(value);
  medians_.push_back(value);
  const std::size_t count = values_.size();
  for (std::size_t i = count - std::min(count, neighbours + 1); i < count; ++i) {
    medians_[i] = local_median(values_, i);
  }
  if (count > settings_.window) start_ = std::max(start_, count - settings_.window);

  const auto recent = [&](const std::vector<double>& all) {
    return std::span<const double>(all).subspan(start_);
  };
  const std::size_t offset = start_;
  points_.resize(settled_);
  for (ChangePoint point : Window(recent(values_), recent(medians_), settings_).changes()) {
    point.index += offset;
    points_.push_back(point);
    if (count - point.index < settings_.window / 2) continue;
    ++settled_;
    start_ = point.index;
  }
}

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointSettings& settings) {
  ChangePoints history(settings);
  for (const double value : values) history.append(value);
  return history.points();
}

}  // namespace tandem::analysis
