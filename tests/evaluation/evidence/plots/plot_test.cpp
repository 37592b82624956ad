#include "evaluation/evidence/plots/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <regex>
#include <string>
#include <vector>

#include "evaluation/evidence/plots/scene.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using Labels = std::vector<std::string>;
using svg::Range;
constexpr auto logarithmic = Plot::Scale::logarithmic;

Labels labels_of(const svg::Axis& axis) {
  Labels labels;
  for (const svg::Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

svg::Axis axis_of(std::vector<double> values, Plot::Scale scale = Plot::Scale::linear,
                  svg::Foot foot = svg::Foot::none) {
  Range range{scale};
  for (const double value : values) range.take(value);
  return svg::axis_over(range, foot, 6);
}

/// Every number that an expression with one group finds in the text.
std::vector<double> numbers_in(const std::string& text, const std::string& expression) {
  std::vector<double> numbers;
  const std::regex regex(expression);
  for (std::sregex_iterator found(text.begin(), text.end(), regex), end; found != end; ++found)
    numbers.push_back(std::stod((*found)[1]));
  return numbers;
}

Plot power() {
  Plot plot{"power", "Found", "extra work, %", "found, %"};
  plot.x_scale = logarithmic;
  plot.series = {{"sort", {{0.5, 10, 5, 20}, {1, 60, 50, 70}, {2, 99, 95, 100}}},
                 {"hash", {{0.5, 1}, {2, 50}}}};
  plot.lines = {{95, "promise: 95 %"}};
  return plot;
}

Plot alarms() {
  Plot plot{"alarms", "False alarms", "", "%"};
  plot.kind = Plot::Kind::bars;
  plot.y_scale = logarithmic;
  plot.places = {"sort", "hash"};
  plot.series = {{"Tandem", {{0, 0, 0, 0.01}, {1, 0.1}}}, {"Tango", {{0, 1}, {1, 10, 5, 20}}}};
  return plot;
}

TEST(PlotAxis, EndsAtRoundValuesInStepsOfOneTwoOrFive) {
  EXPECT_EQ(labels_of(axis_of({3, 97})), (Labels{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(labels_of(axis_of({0, 1.1})), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"}));
  EXPECT_EQ(labels_of(axis_of({-3, 41})), (Labels{"−10", "0", "10", "20", "30", "40", "50"}));
  EXPECT_EQ(labels_of(axis_of({0, 30000})),
            (Labels{"0", "5000", "10 000", "15 000", "20 000", "25 000", "30 000"}));
  EXPECT_EQ(labels_of(axis_of({98, 101})),
            (Labels{"98.0", "98.5", "99.0", "99.5", "100.0", "100.5", "101.0"}));
}

TEST(PlotAxis, HasRoomForOneValueAndForNone) {
  const svg::Axis one = axis_of({7});
  EXPECT_LT(one.low, 7);
  EXPECT_GE(one.high, 7);
  EXPECT_EQ(labels_of(axis_of({})).front(), "0");
  EXPECT_EQ(axis_of({}, logarithmic).ticks.size(), 4u);
}

TEST(PlotAxis, CountsDecadesWhereALogarithmicOneIsLong) {
  EXPECT_EQ(labels_of(axis_of({0.5, 5}, logarithmic)), (Labels{"0.5", "1", "2", "5"}));
  EXPECT_EQ(labels_of(axis_of({0.003, 30}, logarithmic)), (Labels{"0.001", "0.01", "0.1", "1", "10"}));
  EXPECT_EQ(labels_of(axis_of({2e-5, 1e-4}, logarithmic)), (Labels{"2·10⁻⁵", "5·10⁻⁵", "10⁻⁴"}));
  EXPECT_LE(axis_of({1e-30, 1e30}, logarithmic).ticks.size(), 9u);
}

TEST(PlotAxis, KeepsZeroApartOnALogarithmicOne) {
  svg::Axis axis = axis_of({0, 1, 100}, logarithmic);
  EXPECT_EQ(labels_of(axis).front(), "0");
  axis.from = 100;
  axis.to = 0;
  EXPECT_DOUBLE_EQ(axis.at(0), 100);
  EXPECT_LT(axis.at(1), 95);
  EXPECT_NEAR(axis.at(100), 0, 1e-9);
  EXPECT_NEAR(axis.at(10), axis.at(1) / 2, 1e-9);
}

TEST(PlotAxis, GivesTheLowestBarSomethingToStandOn) {
  const svg::Axis axis = axis_of({0.1, 10}, logarithmic, svg::Foot::below_lowest);
  EXPECT_LT(axis.low, 0.1);
  EXPECT_EQ(axis_of({98, 101}, Plot::Scale::linear, svg::Foot::below_lowest).low, 0);
}

TEST(PlotText, IsWrappedAndShortenedToTheRoom) {
  EXPECT_EQ(svg::wrapped("one layout  only", 60, 12), (Labels{"one", "layout", "only"}));
  EXPECT_EQ(svg::wrapped("a/b of_c", 1000, 12), (Labels{"a/b of_c"}));
  EXPECT_EQ(svg::wrapped("median_of_three", 60, 12), (Labels{"median_", "of_three"}));
  EXPECT_EQ(svg::wrapped("at most 0.6 % of all", 60, 12), (Labels{"at most", "0.6 % of", "all"}));
  EXPECT_EQ(svg::shortened("short", 100, 12), "short");
  const std::string cut = svg::shortened("Mann–Whitney", 45, 12);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(svg::width_of(cut, 12), 45);
}

TEST(PlotLabels, AreTurnedWhereTheyDoNotFit) {
  EXPECT_EQ(svg::place_labels({"sort", "no coin"}, 100).degrees, 0);
  const auto turned = svg::place_labels({"sort, alternate", "bandwidth"}, 30);
  EXPECT_LT(turned.degrees, 0);
  EXPECT_GT(turned.height, 40);
  ASSERT_EQ(turned.reach.size(), 2u);
  EXPECT_GT(turned.reach[0], turned.reach[1]);
}

TEST(PlotLabels, NeverReachOverTheSide) {
  Plot plot = alarms();
  plot.series = {{"a", {}}};
  plot.places.clear();
  for (int place = 0; place < 20; ++place) {
    plot.places.push_back(place == 1 ? "a name that is far longer than all the others" : "p");
    plot.series[0].points.push_back({static_cast<double>(place), 1});
  }
  const std::string text = svg_of(plot);
  const auto ends = numbers_in(text, R"rx(x="([0-9.]+)"[^>]*rotate[^>]*>a name)rx");
  ASSERT_EQ(ends.size(), 1u);
  const double turned = svg::width_of(plot.places[1], 12) * std::cos(40 * std::numbers::pi / 180);
  EXPECT_GT(ends.front(), std::min(turned, 190 * std::cos(40 * std::numbers::pi / 180)));
}

TEST(Svg, IsTheSameForTheSamePlot) {
  EXPECT_EQ(svg_of(power()), svg_of(power()));
  EXPECT_NE(svg_of(power()), svg_of(alarms()));
}

TEST(Svg, EscapesEveryText) {
  Plot plot = alarms();
  plot.title = "a < b & \"c\"\x01";
  plot.places = {"<x>", "y&z"};
  plot.series.front().name = "p > 'q'";
  plot.lines = {{1, "1 & 2"}};
  const std::string text = svg_of(plot);
  for (const char* there : {"a &lt; b &amp; &quot;c&quot; </title>", ">&lt;x&gt;<", ">y&amp;z<",
                            ">p &gt; &apos;q&apos;<", "1 &amp; 2"})
    EXPECT_NE(text.find(there), std::string::npos) << there;
  EXPECT_FALSE(std::regex_search(text, std::regex("&(?!amp;|lt;|gt;|quot;|apos;)")));
}

TEST(Svg, StandsAloneAndHasADarkFace) {
  const std::string text = svg_of(power());
  EXPECT_TRUE(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 "));
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  EXPECT_NE(text.find("<title id=\"title\">Found</title>"), std::string::npos);
  EXPECT_NE(text.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Svg, DrawsOneBarPerValueAndAStubForZero) {
  const std::string text = svg_of(alarms());
  auto heights = numbers_in(text, R"rx(class="bar k\d"[^>]* height="([0-9.]+)"><title>)rx");
  ASSERT_EQ(heights.size(), 4u);
  EXPECT_EQ(heights[0], 2);  // series by series: 0, 0.1, 1, 10
  EXPECT_GT(heights[1], 10);
  // Each decade is as high as the next.
  EXPECT_NEAR(heights[3] - heights[2], heights[2] - heights[1], 0.15);
  EXPECT_EQ(numbers_in(text, R"rx(class="whisker" d="M([0-9.]+))rx").size(), 2u);
  EXPECT_NE(text.find("<title>Tango, hash: 10 (5 to 20)</title>"), std::string::npos);
}

TEST(Svg, DrawsBarsOfLessThanNothingDownwards) {
  Plot plot = alarms();
  plot.y_scale = Plot::Scale::linear;
  plot.series = {{"change", {{0, -10}, {1, 10}}}};
  const std::string text = svg_of(plot);
  const auto tops = numbers_in(text, R"rx(class="bar k0"[^>]* y="([0-9.]+)"[^>]*><title>)rx");
  const auto heights = numbers_in(text, R"rx(class="bar k0"[^>]* height="([0-9.]+)"><title>)rx");
  ASSERT_EQ(tops.size(), 2u);
  EXPECT_NEAR(tops[0], tops[1] + heights[1], 0.15);
  EXPECT_NEAR(heights[0], heights[1], 0.15);
}

TEST(Svg, PlacesPointsByTheAxes) {
  const std::string text = svg_of(power());
  const auto xs = numbers_in(text, R"rx(class="mark k0" d="M([0-9.]+) [^>]*><title>)rx");
  ASSERT_EQ(xs.size(), 3u);
  // 0.5, 1 and 2 are equally far apart on a logarithmic axis.
  EXPECT_NEAR(xs[1] - xs[0], xs[2] - xs[1], 0.15);
  EXPECT_GT(xs[1] - xs[0], 100);
  EXPECT_EQ(numbers_in(text, R"rx(class="interval k0" d="M([0-9.]+))rx").size(), 3u);
  EXPECT_EQ(numbers_in(text, R"rx(class="goal" x1="([0-9.]+))rx").size(), 1u);
}

TEST(Svg, PutsTheTextOfALineBesideWhatItWouldCover) {
  Plot plot = alarms();
  plot.series = {{"a", {}}, {"b", {}}, {"c", {}}};
  plot.places.clear();
  for (int place = 0; place < 8; ++place) {
    plot.places.push_back("p" + std::to_string(place));
    for (Series& series : plot.series) series.points.push_back({static_cast<double>(place), 50, 20, 90});
  }
  plot.lines = {{0.6, "goal of the screen: at most 0.6 %"}};
  EXPECT_EQ(svg_of(plot).find("class=\"goal-text\""), std::string::npos);
  EXPECT_NE(svg_of(plot).find(">goal of the<"), std::string::npos);
  EXPECT_NE(svg_of(power()).find("class=\"goal-text\""), std::string::npos);
}

TEST(Svg, SaysWhenThereIsNothing) {
  const Plot nothing{"none", "None", "x", "y"};
  EXPECT_NE(svg_of(nothing).find("nothing measured yet"), std::string::npos);
  Plot bars = nothing;
  bars.kind = Plot::Kind::bars;
  EXPECT_NE(svg_of(bars).find("nothing measured yet"), std::string::npos);
  EXPECT_EQ(svg_of(power()).find("nothing measured yet"), std::string::npos);
}

TEST(Svg, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Plot plot = power();
    plot.series[0].points[0].y = bad;
    EXPECT_THROW((void)svg_of(plot), Error);
    plot = power();
    plot.series[0].points[0].x = bad;
    EXPECT_THROW((void)svg_of(plot), Error);
    plot = power();
    plot.series[0].points[0].high = bad;
    EXPECT_THROW((void)svg_of(plot), Error);
    plot = power();
    plot.lines[0].y = bad;
    EXPECT_THROW((void)svg_of(plot), Error);
  }
}

TEST(Svg, RefusesBarsWithoutAPlaceAndLogarithmsOfLessThanNothing) {
  for (const double x : {-1.0, 0.5, 2.0}) {
    Plot plot = alarms();
    plot.series[0].points[0].x = x;
    EXPECT_THROW((void)svg_of(plot), Error) << x;
  }
  Plot plot = alarms();
  plot.series[0].points[0].y = -1;
  EXPECT_THROW((void)svg_of(plot), Error);
  plot = alarms();
  plot.series[0].points[1].low = -1;  // an interval only ends at the bottom
  EXPECT_NO_THROW((void)svg_of(plot));
}

}  // namespace
}  // namespace tandem::evaluation
