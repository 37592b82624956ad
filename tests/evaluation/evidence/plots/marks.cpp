#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evidence/plots/scene.hpp"

namespace tandem::evaluation::svg {
namespace {

constexpr double group_share = 0.78;  ///< of the room of a place, for its bars
constexpr double widest = 46;
constexpr double stub = 2;  ///< the height of a bar that is worth nothing: one must see that it is there

struct Bars {
  double width = 0;
  double first = 0;  ///< the left side of the first series' bar, from the middle of the place
};

Bars bars_in(const Scene& scene) {
  const double room = std::abs(scene.x.at(1) - scene.x.at(0));
  const auto count = static_cast<double>(std::max<std::size_t>(scene.plot.series.size(), 1));
  const double width = std::min(widest, group_share * room / count);
  return {width, -width * count / 2};
}

void draw_bar(Scene& scene, const Bars& bars, std::size_t series, const Point& point) {
  const double left = scene.x.at(point.x) + bars.first + bars.width * static_cast<double>(series);
  const double gap = bars.width > 6 ? 1 : 0;
  const double ground = scene.y.at(std::max(0.0, scene.y.scale == Plot::Scale::linear ? scene.y.low : 0.0));
  Box box{left + gap, scene.y.at(point.y), left + bars.width - gap, ground};
  if (box.top > box.bottom) std::swap(box.top, box.bottom);
  if (box.bottom - box.top < stub) box.top = box.bottom - stub;
  const std::string& place = scene.plot.places[static_cast<std::size_t>(point.x)];
  scene.canvas.rectangle(box, "bar " + colour_of(series), tip_of(scene.plot.series[series], place, point));
  scene.taken.push_back(box);
}

void draw_whisker(Scene& scene, const Bars& bars, std::size_t series, const Point& point) {
  if (!point.low && !point.high) return;
  const double x = scene.x.at(point.x) + bars.first + bars.width * (static_cast<double>(series) + 0.5);
  const double low = scene.y.at(point.low.value_or(point.y));
  const double high = scene.y.at(point.high.value_or(point.y));
  const double cap = std::clamp(bars.width / 4, 1.0, 5.0);
  scene.canvas.whisker(x, low, high, cap, "whisker");
  scene.taken.push_back({x - cap, high, x + cap, low});
}

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

std::string colour_of(std::size_t series) {
  return fmt::format("k{}{}", series % colours, series < colours ? "" : " pale");
}

void draw_mark(Canvas& canvas, std::size_t series, double x, double y, const std::string& tip) {
  const auto at = [&](double right, double down) { return number(x + right) + " " + number(y + down); };
  std::string steps;
  switch (series % 5) {
    case 0:  // a disc
      steps = fmt::format("M{}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", at(-4, 0));
      break;
    case 1:  // a square
      steps = fmt::format("M{}h7.2v7.2h-7.2z", at(-3.6, -3.6));
      break;
    case 2:  // a triangle
      steps = fmt::format("M{}L{}L{}z", at(0, -4.8), at(4.6, 3.4), at(-4.6, 3.4));
      break;
    case 3:  // a square on its corner
      steps = fmt::format("M{}L{}L{}L{}z", at(0, -5), at(5, 0), at(0, 5), at(-5, 0));
      break;
    default:  // a triangle on its corner
      steps = fmt::format("M{}L{}L{}z", at(0, 4.8), at(4.6, -3.4), at(-4.6, -3.4));
  }
  canvas.path(steps, "mark " + colour_of(series), tip);
}

std::string tip_of(const Series& series, const std::string& place, const Point& point) {
  std::string text = series.name;
  if (!place.empty()) text += (text.empty() ? "" : ", ") + place;
  text += (text.empty() ? "" : ": ") + short_number(point.y);
  if (point.low && point.high)
    text += fmt::format(" ({} to {})", short_number(*point.low), short_number(*point.high));
  return text;
}

void draw_bars(Scene& scene) {
  const Bars bars = bars_in(scene);
  for (std::size_t i = 0; i < scene.plot.series.size(); ++i) {
    for (const Point& point : scene.plot.series[i].points) draw_bar(scene, bars, i, point);
  }
  for (std::size_t i = 0; i < scene.plot.series.size(); ++i) {
    for (const Point& point : scene.plot.series[i].points) draw_whisker(scene, bars, i, point);
  }
}

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
