#include <algorithm>
#include <cmath>

#include "evaluation/evidence/plots/plot_marks.hpp"

namespace tandem::evaluation::svg {
namespace {

constexpr double cap = 3;

struct Place {
  double x = 0;
  double y = 0;
};

/// Series with intervals stand a little beside each other, so that one does not hide another's.
double shift_of(const Plot& plot, std::size_t series) {
  const bool intervals = std::any_of(plot.series.begin(), plot.series.end(), [](const Series& one) {
    return std::any_of(one.points.begin(), one.points.end(),
                       [](const Point& point) { return point.low || point.high; });
  });
  if (!intervals || plot.series.size() < 2) return 0;
  const double step = std::min(3.0, 12.0 / static_cast<double>(plot.series.size() - 1));
  return step * (static_cast<double>(series) - static_cast<double>(plot.series.size() - 1) / 2);
}

void take_segment(std::vector<Box>& taken, const Place& from, const Place& to) {
  const int steps = 1 + static_cast<int>(std::hypot(to.x - from.x, to.y - from.y) / 6);
  for (int i = 0; i <= steps; ++i) {
    const double x = from.x + (to.x - from.x) * i / steps;
    const double y = from.y + (to.y - from.y) * i / steps;
    taken.push_back({x - 3, y - 3, x + 3, y + 3});
  }
}

}  // namespace

void draw_curves(Scene& scene) {
  const Plot& plot = scene.plot;
  const auto place_of = [&](std::size_t series, const Point& point) {
    return Place{scene.x.at(point.x) + shift_of(plot, series), scene.y.at(point.y)};
  };
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    std::string steps;
    Place before;
    for (const Point& point : plot.series[i].points) {
      const Place place = place_of(i, point);
      if (!steps.empty()) take_segment(scene.taken, before, place);
      steps += (steps.empty() ? "M" : "L") + number(place.x) + " " + number(place.y);
      before = place;
    }
    if (plot.series[i].points.size() > 1) scene.canvas.path(steps, "curve " + colour_of(i));
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    for (const Point& point : plot.series[i].points) {
      const Place place = place_of(i, point);
      if (point.low || point.high) {
        const double low = scene.y.at(point.low.value_or(point.y));
        const double high = scene.y.at(point.high.value_or(point.y));
        scene.canvas.whisker(place.x, low, high, cap, "interval " + colour_of(i));
        scene.taken.push_back({place.x - cap, high, place.x + cap, low});
      }
      scene.taken.push_back({place.x - 5, place.y - 5, place.x + 5, place.y + 5});
    }
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    for (const Point& point : plot.series[i].points) {
      const Place place = place_of(i, point);
      draw_mark(scene.canvas, i, place.x, place.y, tip_of(plot.series[i], short_number(point.x), point));
    }
  }
}

}  // namespace tandem::evaluation::svg
