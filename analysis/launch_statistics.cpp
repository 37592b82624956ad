#include "analysis/launch_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

// The share of the values that the totals may limit or leave out.
constexpr double trimmed_share = 0.05;

// A slice up to this many times as slow as its partner, beyond the launch's typical ratio, is never limited.
constexpr double tolerated_factor = 1.5;

bool usable(std::span<const double> values) {
  return !values.empty() && std::all_of(values.begin(), values.end(),
                                        [](double value) { return std::isfinite(value) && value > 0.0; });
}

/// The difference of two logarithms, not the logarithm of the quotient: only so is it exactly odd.
double log_ratio(double treatment, double control) {
  return std::log(treatment) - std::log(control);
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double typical_ratio(const runners::Launch& launch, const std::vector<double>& ratios) {
  std::array<std::vector<double>, 2> by_order;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    by_order[launch.first[i] == runners::Side::control ? 0 : 1].push_back(ratios[i]);
  }
  const auto control_first = median(by_order[0]);
  const auto treatment_first = median(by_order[1]);
  if (!control_first) return *treatment_first;
  if (!treatment_first) return *control_first;
  return std::midpoint(*control_first, *treatment_first);
}

/// The total-time ratio with its most extreme pairs limited, not left out.
///
/// The totals are there for rare events: a slice in 20 or 50 that got twice as expensive. Such slices are the
/// most extreme ones by any measure (pair total, ratio, difference), so leaving out the extreme 5 % would
/// leave out just what is looked for, and the more surely the worse it got. Yet on a busy host a slice that
/// was interrupted may take ten times as long and would drown the launch. Both programs get the same seed and
/// the same iterations, so an event of the program falls into both values of a pair and its price shows in
/// their ratio, while an interruption hits one of them. Hence: of the 5 % of pairs whose ratio is farthest
/// from the launch's typical ratio, those farther than a factor of 1.5 have their larger value cut back to
/// that limit. An event that takes up to half of its slice counts in full when it doubles, a larger one as
/// half a slice, one that got far worse no less, and an interruption as at most half a slice. Events in more
/// than 5 % of the slices are never limited.
///
/// The price is noise. On the first halves of fourteen recordings of equal builds, slices of 1 ms, the spread
/// over launches is 0.7 to 2.4 times that of the medians, on the second halves 0.9 to 2.4 times; with a
/// factor of 2 it was up to 2.7 and 3.1 times. In slices of 0.2 ms, where the medians scatter by next to
/// nothing, interruptions are all there is, and half the price of one halves the spread. Leaving out the 5 %
/// has 0.6 to 1.2 times, but shows less than a quarter of an event in 20 slices and nothing of one in 50.
/// What this total cannot see is the price of an event that is rarer than 5 %, beyond the limit and in
/// different slices of the two sides.
double limited_total(const runners::Launch& launch, const std::vector<double>& ratios, double typical) {
  std::vector<double> distances(ratios.size());
  std::transform(ratios.begin(), ratios.end(), distances.begin(),
                 [typical](double ratio) { return std::abs(ratio - typical); });
  const double limit = std::max(std::log(tolerated_factor), *quantile(distances, 1.0 - trimmed_share));
  double control = 0.0;
  double treatment = 0.0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double distance = ratios[i] - typical;
    treatment += distance > limit ? launch.control[i] * std::exp(typical + limit) : launch.treatment[i];
    control += -distance > limit ? launch.treatment[i] * std::exp(-typical + limit) : launch.control[i];
  }
  return log_ratio(treatment, control);
}

/// Half of the trimmed share is left out at each end; too few values lose none.
double trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::size_t>(trimmed_share / 2 * static_cast<double>(values.size()));
  const auto kept = std::span<const double>(values).subspan(cut, values.size() - 2 * cut);
  return sum(kept) / static_cast<double>(kept.size());
}

}  // namespace

std::optional<LaunchStatistics> launch_statistics(const runners::Launch& launch) {
  if (!usable(launch.control) || !usable(launch.treatment)) return std::nullopt;
  LaunchStatistics statistics;
  if (launch.first.empty()) {
    statistics.median = log_ratio(*median(launch.treatment), *median(launch.control));
    statistics.total = log_ratio(trimmed_mean(launch.treatment), trimmed_mean(launch.control));
  } else {
    if (launch.control.size() != launch.first.size() || launch.treatment.size() != launch.first.size()) {
      throw Error("a paired launch has lists of different lengths");
    }
    std::vector<double> ratios(launch.first.size());
    std::transform(launch.treatment.begin(), launch.treatment.end(), launch.control.begin(), ratios.begin(),
                   log_ratio);
    statistics.median = typical_ratio(launch, ratios);
    statistics.total = limited_total(launch, ratios, statistics.median);
  }
  // Only sums beyond the range of a double come here; they say nothing about the programs.
  if (!std::isfinite(statistics.median) || !std::isfinite(statistics.total)) return std::nullopt;
  return statistics;
}

namespace {

constexpr double furthest_values = 3.0;  // deviations

}  // namespace

double local_median(std::span<const double> values, std::size_t index) {
  const std::size_t first = index - std::min(index, neighbours);
  const std::size_t end = std::min(values.size(), index + neighbours + 1);
  std::array<double, 2 * neighbours + 1> sorted{};
  std::size_t count = 0;
  for (const double value : values.subspan(first, end - first)) {
    std::size_t place = count++;
    for (; place > 0 && sorted[place - 1] > value; --place) sorted[place] = sorted[place - 1];
    sorted[place] = value;
  }
  return count % 2 == 1 ? sorted[count / 2] : std::midpoint(sorted[count / 2 - 1], sorted[count / 2]);
}

double local_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  std::vector<double> moves(values.size() - 1);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = std::abs(values[i + 1] - values[i]);
  const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2);
  std::nth_element(moves.begin(), middle, moves.end());
  // A difference of two points varies by √2 deviations.
  return deviation_scale * *middle / std::numbers::sqrt2;
}

double pulled_in(double value, double local_median, double deviation) {
  return std::clamp(value, local_median - furthest_values * deviation,
                    local_median + furthest_values * deviation);
}

}  // namespace tandem::analysis
