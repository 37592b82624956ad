#include "evaluation/evidence/recorded/launch_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/results/fields.hpp"

namespace tandem::evaluation {
namespace {

using runners::Side;

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return moments;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.deviation = std::sqrt(squares / (count - 1));
  return moments;
}

SideRow side_of(std::span<const double> slices) {
  return {*analysis::median(slices), moments_of(slices).mean, *analysis::quantile(slices, 0.1),
          *analysis::quantile(slices, 0.9)};
}

/// Tango's filter: as many values at each end as lie farther than 1.5 interquartile ranges outside of the
/// quartiles at that end which has fewer of them.
std::vector<double> without_outliers(std::vector<double> values) {
  const double low = *analysis::quantile(values, 0.25);
  const double high = *analysis::quantile(values, 0.75);
  const double reach = 1.5 * (high - low);
  std::sort(values.begin(), values.end());
  const auto first = std::lower_bound(values.begin(), values.end(), low - reach);
  const auto last = std::upper_bound(values.begin(), values.end(), high + reach);
  const auto cut = std::min(first - values.begin(), values.end() - last);
  return {values.begin() + cut, values.end() - cut};
}

/// The numbers in the order in which a line has them.
template <class Row>
auto numbers_of(Row& row) {
  return std::tie(row.statistics.median, row.statistics.total, row.log_mean, row.log_deviation,
                  row.difference_mean, row.difference_deviation, row.control.median, row.control.mean,
                  row.control.p10, row.control.p90, row.treatment.median, row.treatment.mean,
                  row.treatment.p10, row.treatment.p90);
}

/// Takes the next field off the line.
template <class Number>
bool take(std::string_view& line, Number& number) {
  return read_number(next_field(line), number);
}

}  // namespace

std::optional<LaunchRow> summarise(const runners::Launch& launch) {
  const auto statistics = analysis::launch_statistics(launch);
  if (!statistics || launch.control.size() != launch.treatment.size()) return std::nullopt;
  LaunchRow row;
  row.first_slot = launch.first_slot;
  row.pairs = launch.control.size();
  row.statistics = *statistics;
  std::vector<double> logs(row.pairs);
  std::vector<double> differences(row.pairs);
  for (std::size_t i = 0; i < row.pairs; ++i) {
    logs[i] = std::log(launch.treatment[i] / launch.control[i]);
    differences[i] = launch.treatment[i] - launch.control[i];
  }
  const Moments log = moments_of(logs);
  row.log_mean = log.mean;
  row.log_deviation = log.deviation;
  const std::vector<double> kept = without_outliers(differences);
  const Moments difference = moments_of(kept);
  row.differences = kept.size();
  row.difference_mean = difference.mean;
  row.difference_deviation = difference.deviation;
  row.control = side_of(launch.control);
  row.treatment = side_of(launch.treatment);
  return row;
}

LaunchRow exchanged(const LaunchRow& row) {
  LaunchRow other = row;
  other.first_slot = runners::other(row.first_slot);
  other.statistics = {-row.statistics.median, -row.statistics.total};
  other.log_mean = -row.log_mean;
  other.difference_mean = -row.difference_mean;
  std::swap(other.control, other.treatment);
  return other;
}

LaunchRow slowed(const LaunchRow& row, double factor) {
  LaunchRow slower = row;
  const double log = std::log(factor);
  slower.statistics.median += log;
  slower.statistics.total += log;
  slower.log_mean += log;
  slower.difference_mean += (factor - 1) * row.treatment.mean;
  for (double* value :
       {&slower.treatment.median, &slower.treatment.mean, &slower.treatment.p10, &slower.treatment.p90}) {
    *value *= factor;
  }
  return slower;
}

std::string line_of(const LaunchRow& row) {
  std::string line =
      fmt::format("{}\t{}\t{}", row.first_slot == Side::control ? 0 : 1, row.pairs, row.differences);
  std::apply(
      [&](const auto&... numbers) { (fmt::format_to(std::back_inserter(line), "\t{:.7g}", numbers), ...); },
      numbers_of(row));
  return line;
}

std::optional<LaunchRow> row_in(std::string_view line) {
  LaunchRow row;
  int slot = 0;
  bool whole = take(line, slot) && take(line, row.pairs) && take(line, row.differences);
  std::apply([&](auto&... numbers) { ((whole = whole && take(line, numbers)), ...); }, numbers_of(row));
  if (!whole || !line.empty() || slot < 0 || slot > 1) return std::nullopt;
  row.first_slot = slot == 0 ? Side::control : Side::treatment;
  return row;
}

}  // namespace tandem::evaluation
