#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "evaluation/evidence/plots/scene.hpp"

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

constexpr double text_height = 14;
constexpr double hardly = 12;  ///< of area: two texts that touch at a corner

/// Puts the texts one after the other where they cover least. Says whether that is nothing.
bool write_inside(Scene& scene) {
  const Box& area = scene.area;
  std::vector<Box> taken = scene.taken;
  for (const Plot::Line& line : scene.plot.lines) {
    const double y = scene.y.at(line.y);
    taken.push_back({area.left, y - 2, area.right, y + 2});
  }
  bool clear = true;
  for (const Plot::Line& line : scene.plot.lines) {
    const double y = scene.y.at(line.y);
    const std::string text = shortened(line.text, area.right - area.left - 12, small_size);
    const double width = width_of(text, small_size);
    Box best;
    double least = std::numeric_limits<double>::infinity();
    for (const double share : {1.0, 0.0, 0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 0.5}) {
      for (const double top : {y - 17, y + 3}) {
        const double left = area.left + 6 + (area.right - area.left - 12 - width) * share;
        const Box box{left, top, left + width, top + text_height};
        double cost = box.top < area.top - 4 || box.bottom > area.bottom + 1 ? 1e6 : 0;
        for (const Box& other : taken) cost += overlap(box, other);
        // The places come in the order of liking, so that one must be really better than those before.
        if (cost < least - 1) {
          least = cost;
          best = box;
        }
      }
    }
    clear = clear && least < hardly;
    taken.push_back(best);
    scene.canvas.text(best.left, best.top + 11, Anchor::start, "goal-text", text);
  }
  return clear;
}

/// Beside the ends of their lines, moved apart where they would touch.
void write_beside(Scene& scene) {
  struct Text {
    std::vector<std::string> lines;
    double top = 0;
    [[nodiscard]] double height() const { return text_height * static_cast<double>(lines.size()) + 4; }
  };
  std::vector<Text> texts;
  for (const Plot::Line& line : scene.plot.lines) {
    Text text{wrapped(line.text, line_column - 8, small_size)};
    text.top = scene.y.at(line.y) - text.height() / 2;
    texts.push_back(std::move(text));
  }
  std::stable_sort(texts.begin(), texts.end(), [](const Text& a, const Text& b) { return a.top < b.top; });
  double free = scene.area.top - text_height;
  for (Text& text : texts) {
    text.top = std::max(text.top, free);
    free = text.top + text.height();
  }
  free = scene.area.bottom + text_height;
  for (std::size_t i = texts.size(); i-- > 0;) {
    texts[i].top = std::min(texts[i].top, free - texts[i].height());
    free = texts[i].top;
  }
  for (const Text& text : texts) {
    double y = text.top + 12.5;
    for (const std::string& line : text.lines) {
      scene.canvas.text(scene.area.right + 8, y, Anchor::start, "ink", line);
      y += text_height;
    }
  }
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

bool draw_lines(Scene& scene, LineTexts texts) {
  for (const Plot::Line& line : scene.plot.lines) {
    const double y = scene.y.at(line.y);
    scene.canvas.line(scene.area.left, y, scene.area.right, y, "goal");
  }
  if (texts == LineTexts::inside) return write_inside(scene);
  write_beside(scene);
  return true;
}

}  // namespace tandem::evaluation::svg
