#include <algorithm>
#include <limits>

#include "evaluation/evidence/plots/plot_labels.hpp"

namespace tandem::evaluation::svg {
namespace {

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
