#include <algorithm>
#include <cmath>

#include "evaluation/evidence/plots/plot_marks.hpp"

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

}  // namespace

void draw_bars(Scene& scene) {
  const Bars bars = bars_in(scene);
  for (std::size_t i = 0; i < scene.plot.series.size(); ++i) {
    for (const Point& point : scene.plot.series[i].points) draw_bar(scene, bars, i, point);
  }
  for (std::size_t i = 0; i < scene.plot.series.size(); ++i) {
    for (const Point& point : scene.plot.series[i].points) draw_whisker(scene, bars, i, point);
  }
}

}  // namespace tandem::evaluation::svg
