#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluation/evidence/plots/plot.hpp"
#include "evaluation/evidence/plots/plot_axes.hpp"
#include "evaluation/evidence/plots/plot_canvas.hpp"

namespace tandem::evaluation::svg {

/// What the values of a plot are drawn into.
struct Scene {
  const Plot& plot;
  Box area;
  Axis x;  ///< of bars: the number of the place, each half a unit to both sides
  Axis y;
  Canvas canvas = {};
  std::vector<Box> taken = {};  ///< where something is drawn that a text should not cover
};

constexpr std::size_t colours = 10;  ///< k0 to k9 of the style sheet

/// The class of a series' colour; from the eleventh on colours come again, paler.
[[nodiscard]] std::string colour_of(std::size_t series);

/// The mark of a curve's points: another shape for each of five series.
void draw_mark(Canvas& canvas, std::size_t series, double x, double y, const std::string& tip = {});

void draw_bars(Scene& scene);
void draw_curves(Scene& scene);

/// What a point says when one points at it.
[[nodiscard]] std::string tip_of(const Series& series, const std::string& place, const Point& point);

}  // namespace tandem::evaluation::svg
