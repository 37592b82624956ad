#include "analysis/screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "specs/foundation/error.hpp"

namespace tandem::analysis {
namespace {

// 90 % of the screens at evidence 100 end within 26 (σ/θ)² launches, θ counted from the tested bound
// (simulated).
constexpr double launches_per_square = 26.0;

const ScreenSettings& checked(const ScreenSettings& settings) {
  if (!std::isfinite(settings.margin) || settings.margin <= 0.0) {
    throw InputError("the margin must be a positive share, such as 0.01");
  }
  for (const double sigma : {settings.prior_sigma, settings.prior_sigma_total.value_or(0.0)}) {
    if (!std::isfinite(sigma) || sigma < 0.0)
      throw InputError("the noise of a launch must be 0 or a positive number");
  }
  if (settings.max_launches == 0) throw InputError("a screen needs at least one launch");
  return settings;
}

bool both_bounds_rejected(const Evidence& evidence) {
  return evidence.not_slower >= decisive_unchanged && evidence.not_faster >= decisive_unchanged;
}

bool on_opposite_sides(const RatioInterval& one, const RatioInterval& other) {
  return (one.low > 1.0 && other.high < 1.0) || (one.high < 1.0 && other.low > 1.0);
}

}  // namespace

Screen::Screen(const ScreenSettings& settings)
    : history_{checked(settings), {}},
      median_(std::log1p(settings.margin), settings.prior_sigma),
      total_(std::log1p(settings.margin), settings.prior_sigma_total.value_or(settings.prior_sigma)) {}

Screen::Screen(const ScreenHistory& history) : Screen(history.settings) {
  for (const auto& launch : history.launches) advance(launch);
}

std::optional<Outcome> Screen::advance(const std::optional<LaunchStatistics>& launch) {
  if (decided_) throw Error("a screen was given a launch after it had decided");
  if (launch) {
    if (!std::isfinite(launch->median) || !std::isfinite(launch->total)) {
      throw Error("a launch statistic is not a finite number");
    }
    median_.add(launch->median);
    total_.add(launch->total);
  } else {
    ++failed_;
  }
  history_.launches.push_back(launch);
  decided_ = decide();
  return outcome();
}

std::optional<Outcome> Screen::decide() const {
  const Evidence median = median_.evidence();
  const Evidence total = total_.evidence();
  if (median.slower >= decisive_median || total.slower >= decisive_total) return Outcome::slower;
  if (median.faster >= decisive_median || total.faster >= decisive_total) return Outcome::faster;
  if (both_bounds_rejected(median) && both_bounds_rejected(total)) return Outcome::unchanged;
  return std::nullopt;
}

std::optional<Outcome> Screen::outcome() const {
  if (decided_) return decided_;
  const std::size_t cap = history_.settings.max_launches;
  if (failed_ > std::max<std::size_t>(1, cap / launches_per_failure)) return Outcome::failed;
  if (history_.launches.size() >= cap) return Outcome::inconclusive;
  return std::nullopt;
}

Verdict Screen::verdict() const {
  Verdict verdict;
  verdict.outcome = outcome().value_or(Outcome::inconclusive);
  verdict.margin = history_.settings.margin;
  verdict.launches = history_.launches.size();
  verdict.failed_launches = failed_;
  verdict.median = median_.evidence();
  verdict.total = total_.evidence();
  verdict.median_ratio = median_.ratio();
  verdict.total_ratio = total_.ratio();
  verdict.decided_by_total =
      (verdict.outcome == Outcome::slower && verdict.median.slower < decisive_median) ||
      (verdict.outcome == Outcome::faster && verdict.median.faster < decisive_median);
  verdict.statistics_disagree = on_opposite_sides(verdict.median_ratio, verdict.total_ratio);
  verdict.ratio = verdict.decided_by_total ? verdict.total_ratio : verdict.median_ratio;
  verdict.sigma = (verdict.decided_by_total ? total_ : median_).sigma();
  verdict.minimum_detectable_effect =
      minimum_detectable_effect(verdict.sigma, verdict.margin, median_.size());
  return verdict;
}

double minimum_detectable_effect(double sigma, double margin, std::size_t launches) {
  if (launches == 0) return std::numeric_limits<double>::infinity();
  const double spread = sigma * std::sqrt(launches_per_square / static_cast<double>(launches));
  return std::expm1(std::log1p(margin) / 2 + spread);
}

bool is_unmeasurable(double sigma, double margin, std::size_t max_launches) {
  return minimum_detectable_effect(sigma, margin, max_launches) > 2 * margin;
}

}  // namespace tandem::analysis
