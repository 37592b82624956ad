#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tandem::evaluation::svg
