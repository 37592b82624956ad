#include "analysis/confirmation.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace tandem::analysis
