#include "evaluation/evidence/plots/plot_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tandem::evaluation::svg {
namespace {

constexpr double turned_height = 14;  ///< of a turned line
constexpr double sample = 22;         ///< of a series' look in the legend, with the blank behind it

/// In as few lines as need be for a name that is not too long, but not more than there is room for.
std::vector<std::string> turned_lines(const std::string& name, std::size_t most) {
  for (const double width : {100.0, 130.0, 160.0, 190.0}) {
    auto lines = wrapped(name, width, small_size);
    const bool fits = std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return width_of(line, small_size) <= width;
    });
    if (fits && lines.size() <= most) return lines;
  }
  return {shortened(name, 190, small_size)};
}

}  // namespace

PlaceLabels place_labels(const std::vector<std::string>& places, double room) {
  PlaceLabels labels;
  std::size_t most = 0;
  double widest = 0;
  for (const std::string& place : places) {
    labels.lines.push_back(wrapped(place, room - 8, small_size));
    most = std::max(most, labels.lines.back().size());
    for (const std::string& line : labels.lines.back()) widest = std::max(widest, width_of(line, small_size));
  }
  if (widest <= room - 4 && most <= 4) {
    labels.height = line_height * static_cast<double>(most) + 4;
    return labels;
  }
  // Turned lines must not touch: seen across them, places are sin(40°) of their room apart.
  labels.degrees = room >= 24 ? -40 : -90;
  const double angle = -labels.degrees * std::numbers::pi / 180;
  const double fitting = room * std::sin(angle) / turned_height;
  for (std::size_t i = 0; i < places.size(); ++i) {
    labels.lines[i] = turned_lines(places[i], static_cast<std::size_t>(std::clamp(fitting, 1.0, 3.0)));
    double width = 0;
    for (const std::string& line : labels.lines[i]) width = std::max(width, width_of(line, small_size));
    const double thick = turned_height * static_cast<double>(labels.lines[i].size());
    labels.reach.push_back(width * std::cos(angle) + thick / 2 * std::sin(angle));
    labels.height = std::max(labels.height, width * std::sin(angle) + thick * std::cos(angle) + 6);
  }
  return labels;
}

void draw_place_labels(Scene& scene, const PlaceLabels& labels) {
  const double angle = -labels.degrees * std::numbers::pi / 180;
  for (std::size_t i = 0; i < labels.lines.size(); ++i) {
    const double x = scene.x.at(static_cast<double>(i));
    double y = scene.area.bottom + line_height + 1;
    if (labels.degrees == 0) {
      for (const std::string& line : labels.lines[i]) {
        scene.canvas.text(x, y, Anchor::middle, "soft", line);
        y += line_height;
      }
      continue;
    }
    // The middle of the turned lines ends under the place; 4 is from there to where letters stand.
    const double below = 5 + 4 * static_cast<double>(labels.lines[i].size());
    double across = 4 - turned_height * static_cast<double>(labels.lines[i].size() - 1) / 2;
    for (const std::string& line : labels.lines[i]) {
      scene.canvas.text(x + across * std::sin(angle), scene.area.bottom + below + across * std::cos(angle),
                        Anchor::end, "soft", line, labels.degrees);
      across += turned_height;
    }
  }
}

Legend legend_of(const Plot& plot, double left, double right) {
  Legend legend;
  double x = left;
  std::size_t row = 0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (plot.series[i].name.empty()) continue;
    const std::string name = shortened(plot.series[i].name, right - left - sample, small_size);
    const double width = sample + width_of(name, small_size);
    if (x > left && x + width > right) {
      x = left;
      ++row;
    }
    legend.entries.push_back({i, name, x, row});
    x += width + 14;
  }
  if (!legend.entries.empty()) legend.height = static_cast<double>(row + 1) * (line_height + 3) + 4;
  return legend;
}

void draw_legend(Scene& scene, const Legend& legend, double top) {
  for (const Legend::Entry& entry : legend.entries) {
    const double y = top + (line_height + 3) * static_cast<double>(entry.row) + 8;
    const std::string colour = colour_of(entry.series);
    if (scene.plot.kind == Plot::Kind::bars) {
      scene.canvas.rectangle({entry.left + 2, y - 5.5, entry.left + 13, y + 5.5}, "bar " + colour);
    } else {
      scene.canvas.path("M" + number(entry.left) + " " + number(y) + "h16", "curve " + colour);
      draw_mark(scene.canvas, entry.series, entry.left + 8, y);
    }
    scene.canvas.text(entry.left + sample - 2, y + 4.2, Anchor::start, "ink", entry.name);
  }
}

}  // namespace tandem::evaluation::svg
