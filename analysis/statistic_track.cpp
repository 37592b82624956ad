#include "analysis/statistic_track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::analysis {
namespace {

// The prior standard deviation weighs as much as this many launches.
constexpr double prior_launches = 4.0;

// The scale never falls below this share of the margin: launches that agree to the last digit must not turn
// a difference that nobody asks about into certainty.
constexpr double smallest_scale = 1.0 / 20.0;

// Tried in turn. 95 % needs seven launches; `unchanged` may come after six, whose evidence of 20 on either
// side is just what 90 % asks for.
constexpr double levels[] = {0.95, 0.90, 0.80, 0.50};

}  // namespace

StatisticTrack::StatisticTrack(double margin, double prior_sigma)
    : margin_(margin),
      prior_sigma_(prior_sigma),
      slower_(Alternative::above, margin / 2),
      faster_(Alternative::below, -margin / 2),
      not_slower_(Alternative::below, margin),
      not_faster_(Alternative::above, -margin) {}

double StatisticTrack::next_scale() const {
  const auto made = static_cast<double>(values_.size());
  const double observed = deviation_scale * values_.median_absolute_deviation().value_or(0.0);
  return std::max(margin_ * smallest_scale,
                  (prior_launches * prior_sigma_ + made * observed) / (prior_launches + made));
}

void StatisticTrack::add(double value) {
  const Bet bet{value, next_scale()};
  values_.insert(value);
  bets_.push_back(bet);
  for (BettingProcess* process : {&slower_, &faster_, &not_slower_, &not_faster_}) process->add(bet);
}

Evidence StatisticTrack::evidence() const {
  return {slower_.evidence(), faster_.evidence(), not_slower_.evidence(), not_faster_.evidence()};
}

RatioInterval StatisticTrack::ratio() const {
  RatioInterval ratio{1.0, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  const auto estimate = hodges_lehmann(values_.values());
  if (!estimate) return ratio;
  ratio.estimate = std::exp(*estimate);
  for (const double level : levels) {
    if (const auto interval = confidence_interval(bets_, level)) {
      ratio.low = std::exp(std::min(interval->first, *estimate));
      ratio.high = std::exp(std::max(interval->second, *estimate));
      ratio.level = level;
      break;
    }
  }
  return ratio;
}

double StatisticTrack::sigma() const {
  return values_.size() < 2 ? prior_sigma_ : deviation_scale * *values_.median_absolute_deviation();
}

}  // namespace tandem::analysis
