#include "evaluation/evidence/plots/plot_marks.hpp"

#include <fmt/format.h>

namespace tandem::evaluation::svg {

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

}  // namespace tandem::evaluation::svg
