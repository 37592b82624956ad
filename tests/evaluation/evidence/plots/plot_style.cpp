#include "evaluation/evidence/plots/plot_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evaluation/evidence/plots/plot_marks.hpp"

namespace tandem::evaluation::svg {
namespace {

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
