#pragma once

#include <string>
#include <vector>

#include "evaluation/evidence/plots/plot_marks.hpp"

namespace tandem::evaluation::svg {

constexpr double small_size = 12;   ///< of the font of all but the title
constexpr double line_height = 16;  ///< of such a text

/// The names under the places of bars: in lines where that fits, else turned.
struct PlaceLabels {
  double degrees = 0;
  std::vector<std::vector<std::string>> lines;  ///< of each place
  double height = 0;
  std::vector<double> reach;  ///< of turned names: how far each goes to the left of its place
};
[[nodiscard]] PlaceLabels place_labels(const std::vector<std::string>& places, double room);
void draw_place_labels(Scene& scene, const PlaceLabels& labels);

/// The names of the series with their looks, in rows.
struct Legend {
  struct Entry {
    std::size_t series = 0;
    std::string name;
    double left = 0;
    std::size_t row = 0;
  };
  std::vector<Entry> entries;
  double height = 0;
};
[[nodiscard]] Legend legend_of(const Plot& plot, double left, double right);
void draw_legend(Scene& scene, const Legend& legend, double top);

/// Where the texts of the lines go: into the drawing, where they cover least of it, or into a column on its
/// right.
enum class LineTexts { inside, beside };
constexpr double line_column = 122;  ///< the width of that column

/// The lines across the whole width. Says whether their texts cover nothing.
bool draw_lines(Scene& scene, LineTexts texts);

}  // namespace tandem::evaluation::svg
