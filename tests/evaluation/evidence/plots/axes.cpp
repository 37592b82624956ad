#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluation/evidence/plots/scene.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::svg {
namespace {

constexpr double gap_share = 0.08;  ///< of an axis, between 0 and the lowest value above it
constexpr double nearly = 1e-9;     ///< of a step: what rounding may have done

/// 1, 2 and 5 times the powers of ten, counted through: 0 is 1, 1 is 2, 2 is 5, 3 is 10, -1 is 0.5.
double round_value(int index) {
  const int exponent = index >= 0 ? index / 3 : -((2 - index) / 3);
  constexpr std::array digits = {1.0, 2.0, 5.0};
  const double digit = digits.at(static_cast<std::size_t>(index - 3 * exponent));
  // So that 0.001 is the number one types.
  return exponent < 0 ? digit / std::pow(10, -exponent) : digit * std::pow(10, exponent);
}

/// The highest round value that is not above.
int index_below(double value) {
  int index = 3 * static_cast<int>(std::floor(std::log10(value)));
  while (round_value(index) > value * (1 + nearly)) --index;
  while (round_value(index + 1) <= value * (1 + nearly)) ++index;
  return index;
}

std::string superscript(int exponent) {
  constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent)))
    text += digits.at(static_cast<std::size_t>(c - '0'));
  return text;
}

/// Digits in threes where there are five or more, as "30 000", and a real minus.
std::string written(std::string text) {
  const bool negative = text.starts_with('-');
  if (negative) text.erase(0, 1);
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point >= 5) {
    for (std::size_t place = point; place > 3;) text.insert(place -= 3, " ");
  }
  return (negative ? "−" : "") + text;
}

void add_linear_ticks(Axis& axis, Foot foot, int wanted) {
  // Few curves say much below their lowest value unless that is near 0, seen from the highest.
  if (axis.low > 0 && (foot == Foot::below_lowest || axis.low < 0.7 * axis.high)) axis.low = 0;
  if (axis.high < 0 && foot == Foot::below_lowest) axis.high = 0;
  if (axis.low == axis.high) {
    const double half = axis.low == 0 ? 0.5 : std::abs(axis.low) / 10;
    axis.low -= half;
    axis.high += half;
  }
  int index = index_below((axis.high - axis.low) / wanted);
  if (round_value(index) * wanted < (axis.high - axis.low) * (1 - nearly)) ++index;
  const double step = round_value(index);
  const auto first = static_cast<long long>(std::floor(axis.low / step + nearly));
  const auto last = static_cast<long long>(std::ceil(axis.high / step - nearly));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + nearly)));
  const bool plain = decimals <= 4 && std::max(std::abs(axis.low), std::abs(axis.high)) < 1e6;
  for (long long i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    axis.ticks.push_back(
        {value, plain && i != 0 ? written(fmt::format("{:.{}f}", value, decimals)) : short_number(value)});
  }
  axis.low = axis.ticks.front().value;
  axis.high = axis.ticks.back().value;
}

void add_logarithmic_ticks(Axis& axis, Foot foot, int wanted) {
  int first = index_below(axis.low);
  if (foot == Foot::below_lowest && !axis.zeros && round_value(first) > axis.low * 0.7) --first;
  int last = index_below(axis.high);
  if (round_value(last) < axis.high * (1 - nearly)) ++last;
  if (last == first) ++last;
  // Every round value, or decades only, or one decade in two, three, and so on where the axis is long.
  int stride = 1;
  if (last - first > wanted + 2) stride = 3;
  if (stride == 3) {
    first -= ((first % 3) + 3) % 3;
    while ((last - first) / stride > wanted + 1) stride += 3;
  }
  axis.low = round_value(first);
  axis.high = round_value(last);
  if (axis.zeros) axis.ticks.push_back({0, "0"});
  for (int index = first; index <= last; index += stride) {
    axis.ticks.push_back({round_value(index), short_number(round_value(index))});
  }
}

}  // namespace

void Range::take(double value) {
  if (!std::isfinite(value)) throw Error("a plot with a number that is not finite");
  if (scale == Plot::Scale::logarithmic) {
    if (value < 0) throw Error(fmt::format("a logarithmic axis has no place for {}", value));
    if (value == 0) {
      zeros = true;
      return;
    }
  }
  low = std::min(low, value);
  high = std::max(high, value);
}

double Axis::behind_gap() const {
  return zeros ? from + gap_share * (to - from) : from;
}

double Axis::at(double value) const {
  if (scale == Plot::Scale::linear) return from + (value - low) / (high - low) * (to - from);
  if (value <= 0) return from;
  return behind_gap() + std::log(value / low) / std::log(high / low) * (to - behind_gap());
}

Axis axis_over(const Range& range, Foot foot, int wanted_ticks) {
  Axis axis{range.scale, range.low, range.high, range.zeros};
  const bool logarithmic = range.scale == Plot::Scale::logarithmic;
  if (range.low > range.high) {
    axis.low = logarithmic ? 0.1 : 0;
    axis.high = 1;
  }
  if (logarithmic) {
    add_logarithmic_ticks(axis, foot, wanted_ticks);
  } else {
    add_linear_ticks(axis, foot, wanted_ticks);
  }
  return axis;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 9.5e-4 && size < 9999.5) return written(fmt::format("{:.4g}", value));
  if (size >= 9999.5 && size < 999999.5) return written(fmt::format("{:.0f}", value));
  const int exponent = static_cast<int>(std::floor(std::log10(size) + nearly));
  const std::string digits = written(fmt::format("{:.3g}", value / std::pow(10, exponent)));
  if (digits == "1") return "10" + superscript(exponent);
  return digits + "·10" + superscript(exponent);
}

}  // namespace tandem::evaluation::svg
