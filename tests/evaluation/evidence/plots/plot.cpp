#include "evaluation/evidence/plots/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evidence/plots/scene.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using namespace svg;

constexpr double usual_width = 720;
constexpr double area_height = 250;
constexpr double edge = 18;
constexpr double title_size = 15;
constexpr double title_height = 20;
constexpr double bold = 1.12;  ///< times as wide
constexpr int wanted_ticks = 6;

bool is_bars(const Plot& plot) {
  return plot.kind == Plot::Kind::bars;
}

struct Ranges {
  Range x;
  Range y;
};

Ranges ranges_of(const Plot& plot) {
  Ranges ranges{{is_bars(plot) ? Plot::Scale::linear : plot.x_scale}, {plot.y_scale}};
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      ranges.x.take(point.x);
      const bool placed =
          point.x >= 0 && point.x < static_cast<double>(plot.places.size()) && point.x == std::floor(point.x);
      if (is_bars(plot) && !placed)
        throw Error(
            fmt::format("a bar of \"{}\" in the plot {} has no place: {}", series.name, plot.name, point.x));
      ranges.y.take(point.y);
      for (const auto& end : {point.low, point.high}) {
        // An interval may reach below what a logarithmic axis can show.
        if (end) ranges.y.take(plot.y_scale == Plot::Scale::logarithmic && *end < 0 ? 0 : *end);
      }
    }
  }
  for (const Plot::Line& line : plot.lines) ranges.y.take(line.y);
  return ranges;
}

/// Half a unit on both sides of each place.
Axis axis_of_places(std::size_t places) {
  return {Plot::Scale::linear, -0.5, static_cast<double>(std::max<std::size_t>(places, 1)) - 0.5};
}

double widest_label(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, width_of(tick.label, small_size));
  return widest;
}

/// Wide enough for every bar and every name, turned if need be.
double width_for(const Plot& plot) {
  if (!is_bars(plot)) return usual_width;
  const double place = std::max(17.0, 4.0 * static_cast<double>(plot.series.size()) + 6);
  return std::max(usual_width, place * static_cast<double>(plot.places.size()) + 100);
}

void draw_grid(Scene& scene) {
  const Box& area = scene.area;
  for (const Tick& tick : scene.y.ticks) {
    const double y = scene.y.at(tick.value);
    scene.canvas.line(area.left, y, area.right, y, "grid");
    scene.canvas.text(area.left - 8, y + 4.2, Anchor::end, "soft", tick.label);
  }
  for (const Tick& tick : scene.x.ticks) {
    const double x = scene.x.at(tick.value);
    scene.canvas.line(x, area.top, x, area.bottom, "grid");
    scene.canvas.text(x, area.bottom + line_height + 1, Anchor::middle, "soft", tick.label);
  }
}

void draw_axes(Scene& scene) {
  const Box& area = scene.area;
  const double ground = scene.y.scale == Plot::Scale::linear && scene.y.low < 0 && scene.y.high > 0
                            ? scene.y.at(0)
                            : area.bottom;
  scene.canvas.line(area.left, ground, area.right, ground, "axis");
  for (const Tick& tick : scene.x.ticks) {
    const double x = scene.x.at(tick.value);
    scene.canvas.line(x, area.bottom, x, area.bottom + 4, "axis");
  }
  // Two strokes say that the axis is broken between 0 and the values.
  if (scene.y.zeros) {
    const double y = (scene.y.from + scene.y.behind_gap()) / 2;
    const std::string left = number(area.left - 4);
    scene.canvas.path(fmt::format("M{0} {1}l8 -4M{0} {2}l8 -4", left, number(y + 4), number(y)), "axis");
  }
  if (scene.x.zeros) {
    const double x = (scene.x.from + scene.x.behind_gap()) / 2;
    const std::string top = number(area.bottom + 4);
    scene.canvas.path(fmt::format("M{1} {0}l4 -8M{2} {0}l4 -8", top, number(x - 4), number(x)), "axis");
  }
}

/// Title, legend and the name of the vertical axis; gives the place below them.
double draw_head(Scene& scene, double width) {
  const Plot& plot = scene.plot;
  const double room = width - 2 * edge;
  double y = edge + 12;
  for (const std::string& line : wrapped(plot.title, room, title_size * bold)) {
    scene.canvas.text(edge, y, Anchor::start, "ink title", line);
    y += title_height;
  }
  const Legend legend = legend_of(plot, edge, width - edge);
  draw_legend(scene, legend, y - 8);
  if (!legend.entries.empty()) y += legend.height + 6;
  for (const std::string& line : wrapped(plot.y_label, room, small_size)) {
    scene.canvas.text(edge, y, Anchor::start, "soft", line);
    y += line_height;
  }
  return y;
}

/// The left and right sides of the area and of its horizontal axis.
PlaceLabels set_sides(Scene& scene, double width, LineTexts texts) {
  Box& area = scene.area;
  area.left = edge + widest_label(scene.y) + 8;
  area.right = width - edge - (texts == LineTexts::beside ? line_column : 0);
  if (!is_bars(scene.plot)) {
    // The first and the last mark keep a distance from the sides; the last label needs half its width.
    if (texts == LineTexts::inside) area.right -= width_of(scene.x.ticks.back().label, small_size) / 2;
    scene.x.from = area.left + 14;
    scene.x.to = area.right - 14;
    return {0, {}, line_height + 4, {}};
  }
  const auto count = static_cast<double>(std::max<std::size_t>(scene.plot.places.size(), 1));
  const double room = (area.right - area.left) / count;
  PlaceLabels labels = place_labels(scene.plot.places, room);
  for (std::size_t i = 0; i < labels.reach.size(); ++i) {
    // Place i is this share of the way from left to right, wherever left will be.
    const double share = (static_cast<double>(i) + 0.5) / count;
    area.left = std::max(area.left, (edge + labels.reach[i] - area.right * share) / (1 - share));
  }
  scene.x.from = area.left;
  scene.x.to = area.right;
  return labels;
}

struct Drawing {
  std::string text;
  bool clear = true;  ///< no text covers anything
};

Drawing draw(const Plot& plot, const Ranges& ranges, LineTexts texts) {
  const Foot foot = is_bars(plot) ? Foot::below_lowest : Foot::none;
  Scene scene{
      plot,
      {},
      is_bars(plot) ? axis_of_places(plot.places.size()) : axis_over(ranges.x, Foot::none, wanted_ticks + 2),
      axis_over(ranges.y, foot, wanted_ticks)};
  const double width = width_for(plot);
  const PlaceLabels places = set_sides(scene, width, texts);
  Box& area = scene.area;
  area.top = draw_head(scene, width);
  area.bottom = area.top + area_height;
  scene.y.from = area.bottom;
  scene.y.to = area.top;
  const double middle = (area.left + area.right) / 2;

  draw_grid(scene);
  if (is_bars(plot)) {
    draw_place_labels(scene, places);
    draw_bars(scene);
  } else {
    draw_curves(scene);
  }
  draw_axes(scene);
  const bool clear = draw_lines(scene, texts);
  if (scene.taken.empty())
    scene.canvas.text(middle, (area.top + area.bottom) / 2, Anchor::middle, "soft", "nothing measured yet");
  double bottom = area.bottom + places.height;
  for (const std::string& line : wrapped(plot.x_label, width - 2 * edge, small_size)) {
    bottom += line_height;
    scene.canvas.text(middle, bottom, Anchor::middle, "soft", line);
  }
  const double height = bottom + edge - 2;

  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{2}</title>\n",
      width, height, escaped(plot.title));
  text += style_of(plot.series.size());
  text +=
      fmt::format("<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n",
                  width - 1, height - 1);
  return {text + scene.canvas.elements() + "</svg>\n", clear};
}

}  // namespace

std::string svg_of(const Plot& plot) {
  const Ranges ranges = ranges_of(plot);
  Drawing drawing = draw(plot, ranges, LineTexts::inside);
  if (!drawing.clear) drawing = draw(plot, ranges, LineTexts::beside);
  return drawing.text;
}

}  // namespace tandem::evaluation
