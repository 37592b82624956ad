#include "evaluation/evidence/plots/plot_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem::evaluation::svg {
namespace {

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// In heights of the font, as in DejaVu Sans, the widest of the usual ones.
double width_of(char c) {
  if (continues_a_character(c)) return 0;
  if (std::string_view("iljI|!.,:;' ").find(c) != std::string_view::npos) return 0.33;
  if (std::string_view("tfr()[]-/").find(c) != std::string_view::npos) return 0.41;
  if (std::string_view("mwMW%@").find(c) != std::string_view::npos) return 0.95;
  if (c >= 'A' && c <= 'Z') return 0.71;
  return 0.62;
}

std::string closed(std::string_view tag, std::string_view tip) {
  if (tip.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(tip), tag);
}

}  // namespace

double overlap(const Box& one, const Box& other) {
  const double width = std::min(one.right, other.right) - std::max(one.left, other.left);
  const double height = std::min(one.bottom, other.bottom) - std::max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

double width_of(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) width += width_of(c);
  return width * size;
}

std::vector<std::string> wrapped(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  bool apart = true;  // from the piece before it, by a blank
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(" _/"), text.size());
    if (text.substr(end).starts_with(" %")) end = std::min(text.find_first_of(" _/", end + 1), text.size());
    if (end < text.size() && text[end] != ' ') ++end;
    const std::string piece(text.substr(0, end));
    text.remove_prefix(end);
    const std::string joined = lines.empty() ? piece : lines.back() + (apart ? " " : "") + piece;
    if (!piece.empty() && !lines.empty() && width_of(joined, size) <= width) {
      lines.back() = joined;
    } else if (!piece.empty()) {
      lines.push_back(piece);
    }
    apart = text.starts_with(' ');
    if (apart) text.remove_prefix(1);
  }
  return lines;
}

std::string shortened(std::string_view text, double width, double size) {
  if (width_of(text, size) <= width) return std::string(text);
  while (!text.empty() && width_of(text, size) + 0.62 * size > width) {
    while (text.size() > 1 && continues_a_character(text.back())) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return std::string(text) + "…";
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&apos;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

std::string number(double value) {
  const std::string text = fmt::format("{:.1f}", value);
  return text == "-0.0" ? "0.0" : text;
}

void Canvas::line(double from_x, double from_y, double to_x, double to_y, std::string_view look) {
  elements_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", look, number(from_x),
                           number(from_y), number(to_x), number(to_y)) +
               "\n";
}

void Canvas::rectangle(const Box& box, std::string_view look, std::string_view tip) {
  elements_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}")", look, number(box.left),
                           number(box.top), number(box.right - box.left), number(box.bottom - box.top)) +
               closed("rect", tip);
}

void Canvas::path(std::string_view steps, std::string_view look, std::string_view tip) {
  elements_ += fmt::format(R"(<path class="{}" d="{}")", look, steps) + closed("path", tip);
}

void Canvas::text(double x, double y, Anchor anchor, std::string_view look, std::string_view words,
                  double degrees) {
  std::string turned;
  if (degrees != 0)
    turned = fmt::format(" transform=\"rotate({} {} {})\"", number(degrees), number(x), number(y));
  const char* name = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  elements_ += fmt::format(R"(<text class="{}" x="{}" y="{}" text-anchor="{}"{}>{}</text>)", look, number(x),
                           number(y), name, turned, escaped(words)) +
               "\n";
}

void Canvas::whisker(double x, double low, double high, double cap, std::string_view look) {
  path(fmt::format("M{0} {2}V{3}M{1} {2}H{4}M{1} {3}H{4}", number(x), number(x - cap), number(low),
                   number(high), number(x + cap)),
       look);
}

}  // namespace tandem::evaluation::svg
