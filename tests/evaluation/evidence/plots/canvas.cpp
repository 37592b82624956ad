#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "evaluation/evidence/plots/scene.hpp"

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

struct Theme {
  const char* ground;
  const char* border;
  const char* ink;
  const char* soft;
  const char* grid;
  const char* axis;
  std::array<const char*, colours> series;
};

constexpr Theme light = {"#ffffff",
                         "#d1d9e0",
                         "#1f2328",
                         "#59636e",
                         "#e3e8ed",
                         "#818b98",
                         {"#2a6fbb", "#d9730d", "#2b8a5a", "#b8323a", "#7b5bb5", "#0e8fa3", "#c2488f",
                          "#8c6239", "#9a8700", "#66717f"}};
constexpr Theme dark = {"#0d1117",
                        "#3d444d",
                        "#f0f6fc",
                        "#9aa4af",
                        "#262c34",
                        "#6e7781",
                        {"#5ea2ec", "#f0944a", "#55bd85", "#ee6f78", "#ae93e3", "#46c0d2", "#ee86c2",
                         "#c4976a", "#cdbb3c", "#a3afbd"}};

std::string colours_of(const Theme& theme, std::size_t series) {
  std::string text = fmt::format(
      ".card{{fill:{0};stroke:{1}}}\n.ink{{fill:{2}}}\n.soft{{fill:{3}}}\n.grid{{stroke:{4}}}\n"
      ".axis{{stroke:{5}}}\n.goal,.whisker{{stroke:{2}}}\n.goal-text{{fill:{2};stroke:{0}}}\n"
      ".mark{{stroke:{0}}}\n",
      theme.ground, theme.border, theme.ink, theme.soft, theme.grid, theme.axis);
  for (std::size_t i = 0; i < std::min(series, colours); ++i)
    text += fmt::format(".k{}{{color:{}}}\n", i, theme.series.at(i));
  return text;
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
  static const std::map<char, const char*> names = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
  std::string safe;
  for (const char c : text) {
    if (const auto named = names.find(c); named != names.end()) {
      safe += named->second;
    } else {
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

std::string style_of(std::size_t series) {
  return "<style>\n"
         "text{font:12px sans-serif}\n"
         ".title{font-size:15px;font-weight:bold}\n"
         ".goal{stroke-width:1.3;stroke-dasharray:6 4}\n"
         ".goal-text{paint-order:stroke;stroke-width:4;stroke-linejoin:round}\n"
         ".whisker{fill:none;stroke-width:1.2}\n"
         ".axis{fill:none}\n"
         ".bar{fill:currentColor}\n"
         ".curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}\n"
         ".interval{fill:none;stroke:currentColor;stroke-width:1.3}\n"
         ".mark{fill:currentColor;stroke-width:1}\n"
         ".pale{opacity:.55}\n" +
         colours_of(light, series) + "@media (prefers-color-scheme:dark){\n" + colours_of(dark, series) +
         "}\n</style>\n";
}

}  // namespace tandem::evaluation::svg
