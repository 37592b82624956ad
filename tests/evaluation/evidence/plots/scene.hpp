#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/evidence/plots/plot.hpp"

namespace tandem::evaluation::svg {

/// In units of the drawing; y grows downwards.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// The area that two boxes share.
[[nodiscard]] double overlap(const Box& one, const Box& other);

/// How wide a text is drawn at most. The reader's font is not known, so a wide one is assumed.
[[nodiscard]] double width_of(std::string_view text, double size);

/// The text in lines of at most that width, broken at blanks (but not before %) and behind _ and /; what is
/// wider than that without one has a line of its own.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size);

/// The text, cut to that width with an ellipsis if it is wider.
[[nodiscard]] std::string shortened(std::string_view text, double width, double size);

/// For XML: `&`, `<`, `>` and quotes by name; what XML does not allow becomes a blank.
[[nodiscard]] std::string escaped(std::string_view text);

/// A length or place with one digit behind the point.
[[nodiscard]] std::string number(double value);

enum class Anchor { start, middle, end };

/// What has been drawn so far. Looks are classes of the style sheet.
class Canvas {
 public:
  void line(double from_x, double from_y, double to_x, double to_y, std::string_view look);
  /// `tip` is shown where a mouse points at it.
  void rectangle(const Box& box, std::string_view look, std::string_view tip = {});
  void path(std::string_view steps, std::string_view look, std::string_view tip = {});
  /// Turned about its anchor, in degrees.
  void text(double x, double y, Anchor anchor, std::string_view look, std::string_view words,
            double degrees = 0);
  /// A value's interval, with caps.
  void whisker(double x, double low, double high, double cap, std::string_view look);

  [[nodiscard]] const std::string& elements() const { return elements_; }

 private:
  std::string elements_;
};

/// The values that an axis must have room for. A logarithmic one keeps 0 apart from the others.
struct Range {
  Plot::Scale scale = Plot::Scale::linear;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool zeros = false;

  /// Throws Error when a number is not finite, or less than 0 on a logarithmic axis.
  void take(double value);
};

struct Tick {
  double value = 0;
  std::string label;
};

/// An axis from one place of the drawing to another, ending at round values. On a logarithmic one that has
/// zeros they stand at the very beginning, before a gap.
struct Axis {
  Plot::Scale scale = Plot::Scale::linear;
  double low = 0;
  double high = 1;
  bool zeros = false;
  std::vector<Tick> ticks = {};
  double from = 0;
  double to = 1;

  /// Where a value is drawn.
  [[nodiscard]] double at(double value) const;
  /// Where the values above 0 begin; `from` when there is no gap.
  [[nodiscard]] double behind_gap() const;
};

/// What the lowest value must keep from the beginning of the axis: a bar needs something to stand on.
enum class Foot { none, below_lowest };

/// Ticks in steps of 1, 2 or 5 times a power of ten; decades where a logarithmic axis is long.
[[nodiscard]] Axis axis_over(const Range& range, Foot foot, int wanted_ticks);

/// "0.002", "30 000", or "2·10⁻⁵" where that would be long.
[[nodiscard]] std::string short_number(double value);

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

/// The style sheet of a drawing with so many series. WorkloadPair and ink change together with the reader's
/// choice of light or dark, so that the drawing is readable on any page.
[[nodiscard]] std::string style_of(std::size_t series);

}  // namespace tandem::evaluation::svg
