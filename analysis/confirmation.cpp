#include "analysis/confirmation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

constexpr double interval_level = 0.95;

// Below this share of the bar a look gives up: a true effect at the margin, twice the bar, hardly ever looks
// so small.
constexpr double futile_share = 0.5;

constexpr double spreads_above_layout = 4.0;

/// Each look gets its part of the 5 %, so that the interval holds at whichever look the trial ended.
RatioInterval ratio_of(std::span<const double> units) {
  RatioInterval ratio{1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  if (const auto estimate = hodges_lehmann(units)) ratio.estimate = std::exp(*estimate);
  const double level = 1.0 - (1.0 - interval_level) / static_cast<double>(confirmation_looks.size());
  if (const auto interval = signed_rank_interval(units, level)) {
    ratio.low = std::exp(interval->first);
    ratio.high = std::exp(interval->second);
    ratio.level = interval_level;
  }
  return ratio;
}

/// The units so turned that the suspected direction is up.
std::vector<double> turned(std::span<const double> units, Direction suspected) {
  std::vector<double> values(units.begin(), units.end());
  if (suspected == Direction::faster) {
    for (double& value : values) value = -value;
  }
  return values;
}

}  // namespace

const char* name_of(ConfirmationOutcome outcome) {
  switch (outcome) {
    case ConfirmationOutcome::confirmed:
      return "confirmed";
    case ConfirmationOutcome::not_reproduced:
      return "not reproduced";
    case ConfirmationOutcome::undecided_more:
      return "undecided";
    case ConfirmationOutcome::failed:
      return "failed";
  }
  return "unknown";
}

ConfirmationResult confirm(std::span<const double> units, const ConfirmationPlan& plan, PValueOf test) {
  if (!std::isfinite(plan.minimum_effect) || plan.minimum_effect <= 0.0) {
    throw InputError("the smallest effect to confirm must be a positive share, such as 0.005");
  }
  const double alpha_per_look = plan.alpha / static_cast<double>(confirmation_looks.size());
  const double bar = std::log1p(plan.minimum_effect);
  const std::vector<double> values = turned(units, plan.suspected);
  ConfirmationResult result;
  result.units = units.size();
  for (const std::size_t look : confirmation_looks) {
    if (values.size() < look) {
      result.next_look = look;
      break;
    }
    const auto seen = std::span<const double>(values).first(look);
    const double estimate = *hodges_lehmann(seen);
    result.p_value = test(seen);
    result.units = look;
    if (estimate >= bar && result.p_value <= alpha_per_look) {
      result.outcome = ConfirmationOutcome::confirmed;
      break;
    }
    if (estimate < futile_share * bar || look == confirmation_looks.back()) {
      result.outcome = ConfirmationOutcome::not_reproduced;
      break;
    }
  }
  if (result.outcome == ConfirmationOutcome::undecided_more) result.units = units.size();
  result.ratio = ratio_of(units.first(result.units));
  return result;
}

double minimum_effect(double margin, std::optional<double> null_commit_spread) {
  return std::max(margin / 2, spreads_above_layout * null_commit_spread.value_or(0.0));
}

std::optional<double> unit_value(const std::optional<LaunchStatistics>& one,
                                 const std::optional<LaunchStatistics>& other, Statistic statistic) {
  if (!one || !other) return std::nullopt;
  return statistic == Statistic::median ? std::midpoint(one->median, other->median)
                                        : std::midpoint(one->total, other->total);
}

namespace {

/// The probability of every sum that the ranks can have when each is added or not, with one half each: they
/// grow rank by rank.
std::vector<double> sum_probabilities(std::span<const std::size_t> ranks) {
  std::vector<double> probability(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}), 0.0);
  probability[0] = 1.0;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t sum = reached; sum >= rank; --sum) {
      probability[sum] = (probability[sum] + probability[sum - rank]) / 2;
    }
    for (std::size_t sum = 0; sum < rank; ++sum) probability[sum] /= 2;
  }
  return probability;
}

/// The largest k for which the sum of the positive ranks stays below k with probability at most `tail`.
std::size_t rejected_ranks(std::size_t count, double tail) {
  std::vector<std::size_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 1);
  const std::vector<double> probability = sum_probabilities(ranks);
  std::size_t rejected = 0;
  for (double cumulated = probability[0]; cumulated <= tail; cumulated += probability[rejected]) ++rejected;
  return rejected;
}

}  // namespace

double signed_rank_p_value(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  for (const double value : sorted) {
    if (!std::isfinite(value)) throw Error("a value for the signed-rank test is not a finite number");
  }
  std::sort(sorted.begin(), sorted.end(),
            [](double one, double other) { return std::abs(one) < std::abs(other); });
  // Twice the ranks: the mean of two ranks is then a whole number too.
  std::vector<std::size_t> ranks;
  std::size_t observed = 0;
  for (std::size_t first = 0, next = 0; first < sorted.size(); first = next) {
    while (next < sorted.size() && std::abs(sorted[next]) == std::abs(sorted[first])) ++next;
    if (sorted[first] == 0.0) continue;
    for (std::size_t i = first; i < next; ++i) {
      ranks.push_back(first + 1 + next);
      if (sorted[i] > 0.0) observed += ranks.back();
    }
  }
  const std::vector<double> probability = sum_probabilities(ranks);
  // From the far end on, where the terms are small.
  return std::min(1.0, std::accumulate(probability.rbegin(),
                                       probability.rend() - static_cast<std::ptrdiff_t>(observed), 0.0));
}

std::optional<std::pair<double, double>> signed_rank_interval(std::span<const double> values, double level) {
  if (values.empty()) return std::nullopt;
  const std::size_t rejected = rejected_ranks(values.size(), (1.0 - level) / 2);
  if (rejected == 0) return std::nullopt;
  std::vector<double> averages = walsh_averages(values);
  std::sort(averages.begin(), averages.end());
  return std::pair(averages[rejected - 1], averages[averages.size() - rejected]);
}

}  // namespace tandem::analysis
