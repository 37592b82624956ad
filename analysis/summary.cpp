#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

/// 99.9 for "p99.9"; nothing for a name that is no percentile.
std::optional<double> percentile_of(std::string_view name) {
  double percent = 0;
  if (!name.starts_with('p')) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + 1, end, percent, std::chars_format::fixed);
  if (error != std::errc() || rest != end || !(percent >= 0 && percent <= 100)) return std::nullopt;
  return percent;
}

std::optional<double> if_finite(long double value) {
  const auto narrow = static_cast<double>(value);
  return std::isfinite(narrow) ? std::optional(narrow) : std::nullopt;
}

/// As numpy does by default and FAI-PEP after it. The product comes before the division so that a percentile
/// that falls on a value gives exactly that value.
double percentile(const std::vector<double>& sorted, double percent) {
  const double position = static_cast<double>(sorted.size() - 1) * percent / 100;
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

/// Sums in long double: its exponent has room for squares that a double has none for.
struct Moments {
  long double mean = 0;
  long double deviation = 0;
};

Moments moments(std::span<const double> values) {
  const auto count = static_cast<long double>(values.size());
  Moments all;
  for (const double value : values) all.mean += value;
  all.mean /= count;
  for (const double value : values) all.deviation += (value - all.mean) * (value - all.mean);
  all.deviation = std::sqrt(all.deviation / count);
  return all;
}

std::vector<std::string> with_indispensable(std::vector<std::string> names) {
  for (const char* name : {"p50", "MAD"}) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

}  // namespace

const std::vector<std::string>& usual_statistics() {
  static const std::vector<std::string> names = {"mean", "p0",    "p10", "p50", "p90",
                                                 "p100", "stdev", "MAD", "cv"};
  return names;
}

Summary summarise(std::span<const double> values, const std::vector<std::string>& statistics) {
  const auto deviation_from_median = median_absolute_deviation(values);
  if (!deviation_from_median) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const Moments all = moments(values);

  const auto statistic = [&](const std::string& name) -> std::optional<double> {
    if (name == "mean") return if_finite(all.mean);
    if (name == "stdev") return if_finite(all.deviation);
    if (name == "cv") return all.mean == 0 ? std::nullopt : if_finite(all.deviation / all.mean);
    if (name == "MAD") return if_finite(*deviation_from_median);
    if (name == "p50") return median(values);
    const auto percent = percentile_of(name);
    if (!percent) throw Error(fmt::format("there is no statistic \"{}\"", name));
    return percentile(sorted, *percent);
  };
  Summary summary;
  for (const std::string& name : with_indispensable(statistics)) summary.emplace_back(name, statistic(name));
  return summary;
}

std::string reflected(const std::string& statistic) {
  const auto percent = percentile_of(statistic);
  if (!percent) return statistic;
  // As many digits as were written: in binary 100 - 99.9 is not 0.1.
  const auto point = statistic.find('.');
  const auto digits = point == std::string::npos ? 0 : statistic.size() - point - 1;
  return fmt::format("p{:.{}f}", 100 - *percent, digits);
}

Summary difference(std::span<const double> treatment, std::span<const double> control,
                   const std::vector<std::string>& statistics) {
  const Summary above = summarise(treatment, statistics);
  std::vector<std::string> opposite;
  opposite.reserve(above.size());
  for (const auto& [name, value] : above) opposite.push_back(reflected(name));
  const Summary below = summarise(control, opposite);
  if (below.empty()) return {};
  Summary both;
  for (std::size_t i = 0; i < above.size(); ++i) {
    const auto& minuend = above[i].second;
    const auto& subtrahend = below[i].second;
    const auto value =
        minuend && subtrahend ? if_finite(static_cast<long double>(*minuend) - *subtrahend) : std::nullopt;
    both.emplace_back(above[i].first, value);
  }
  return both;
}

}  // namespace tandem::analysis
