#include "analysis/exact_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tandem::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// NaN where there is no ratio.
double exact_ratio(double above, double below) {
  if (std::isnan(above) || std::isnan(below) || above < 0 || below < 0) return std::nan("");
  if (above == below) return 1;  // two zeros, two infinities
  return below == 0 ? infinity : above / below;
}

/// The middle of values that may be infinite.
double middle_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double upper = sorted[sorted.size() / 2];
  const double lower = sorted[(sorted.size() - 1) / 2];
  return upper == lower ? upper : lower + (upper - lower) / 2;
}

/// What the treatment costs as a multiple of the control: where more is better, the other way round.
RatioInterval cost_of(std::span<const double> control, std::span<const double> treatment,
                      specs::Direction direction) {
  const bool lower = direction == specs::Direction::lower_is_better;
  const auto above = lower ? treatment : control;
  const auto below = lower ? control : treatment;
  const auto [least_above, most_above] = std::minmax_element(above.begin(), above.end());
  const auto [least_below, most_below] = std::minmax_element(below.begin(), below.end());
  return {exact_ratio(middle_of(above), middle_of(below)), exact_ratio(*least_above, *most_below),
          exact_ratio(*most_above, *least_below), 1};
}

Outcome by_tolerance(const RatioInterval& cost, double tolerance) {
  const double worse = 1 + tolerance;
  const double better = 1 / worse;
  if (cost.low > worse) return Outcome::slower;
  if (cost.high < better) return Outcome::faster;
  return cost.low >= better && cost.high <= worse ? Outcome::unchanged : Outcome::inconclusive;
}

enum class Soundness { sound, wrong, both };

Soundness soundness_of(std::span<const double> values, const specs::Metric& metric) {
  const auto sound = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double value) {
    return metric.direction == specs::Direction::lower_is_better ? value <= *metric.limit
                                                                 : value >= *metric.limit;
  }));
  return sound == values.size() ? Soundness::sound : sound == 0 ? Soundness::wrong : Soundness::both;
}

Outcome by_limit(Soundness control, Soundness treatment) {
  if (control == Soundness::both || treatment == Soundness::both) return Outcome::inconclusive;
  if (control == treatment) return Outcome::unchanged;
  return treatment == Soundness::wrong ? Outcome::slower : Outcome::faster;
}

}  // namespace

Verdict judge_exactly(std::span<const double> control, std::span<const double> treatment,
                      const specs::Metric& metric, double margin) {
  Verdict verdict;
  verdict.margin = metric.tolerance.value_or(margin);
  verdict.launches = std::min(control.size(), treatment.size());
  const RatioInterval nothing_known{1, 0, infinity, 1};
  verdict.ratio = nothing_known;
  if (verdict.launches > 0) {
    const auto is_nan = [](double value) { return std::isnan(value); };
    const bool numbers = std::none_of(control.begin(), control.end(), is_nan) &&
                         std::none_of(treatment.begin(), treatment.end(), is_nan);
    const RatioInterval cost = numbers ? cost_of(control, treatment, metric.direction) : nothing_known;
    const bool known =
        numbers && !std::isnan(cost.low) && !std::isnan(cost.high) && !std::isnan(cost.estimate);
    if (known) verdict.ratio = cost;
    if (metric.limit) {
      verdict.outcome = by_limit(soundness_of(control, metric), soundness_of(treatment, metric));
    } else if (known) {
      verdict.outcome = by_tolerance(cost, verdict.margin);
    }
  }
  verdict.median_ratio = verdict.total_ratio = verdict.ratio;
  return verdict;
}

}  // namespace tandem::analysis
