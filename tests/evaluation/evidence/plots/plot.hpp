#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem::evaluation {

/// A value, perhaps with an interval about it, at a place of the horizontal axis.
struct Point {
  double x = 0;
  double y = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};

  bool operator==(const Point&) const = default;
};

/// Points of one kind. In a plot of bars `x` counts the places from 0, named by Plot::places.
struct Series {
  std::string name;
  std::vector<Point> points;

  bool operator==(const Series&) const = default;
};

/// A drawing as data. Values are drawn as they come; labels carry the units.
struct Plot {
  std::string name;  ///< of the file, without .svg: "replay-false-alarms"
  std::string title;
  std::string x_label;
  std::string y_label;
  enum class Kind { curves, bars } kind = Kind::curves;
  std::vector<std::string> places = {};  ///< of bars, from left to right
  enum class Scale { linear, logarithmic } x_scale = Scale::linear;
  Scale y_scale = Scale::linear;  ///< values of 0 stand at the bottom of a logarithmic axis
  std::vector<Series> series = {};
  struct Line {
    double y = 0;
    std::string text;

    bool operator==(const Line&) const = default;
  };
  std::vector<Line> lines = {};  ///< goals and the like, across the whole width

  bool operator==(const Plot&) const = default;
};

/// The drawing as a file that stands alone, readable on a light and on a dark page. The same plot gives the
/// same bytes. Throws Error when a number is not finite or a bar has no place.
[[nodiscard]] std::string svg_of(const Plot& plot);

}  // namespace tandem::evaluation
