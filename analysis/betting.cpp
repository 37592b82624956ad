#include "analysis/betting.hpp"

#include <algorithm>
#include <numeric>

namespace tandem::analysis {
namespace {

// Sizes of bet: the small ones win on small effects and much data, the large ones on large effects and
// little.
constexpr std::array<double, 5> stakes = {0.1, 0.25, 0.5, 0.8, 1.0};

// Observations farther out than this many scales count as this many.
constexpr double clip = 2.5;

// Giving wealth away keeps the promise, and keeps it finite: an infinite wealth times a lost bet would be
// NaN.
constexpr double largest_wealth = 1e100;

// Halvings of the range when an end of the confidence interval is searched.
constexpr int halvings = 48;

struct Range {
  double low;
  double high;
};

/// Outside of this range of bounds every bet is clipped to the same side, and the evidence no longer changes.
Range range_of(std::span<const Bet> bets) {
  Range range{bets.front().value, bets.front().value};
  for (const Bet& bet : bets) {
    range.low = std::min(range.low, bet.value - clip * bet.scale);
    range.high = std::max(range.high, bet.value + clip * bet.scale);
  }
  return range;
}

/// Finds where the evidence, which is monotone in the bound, crosses the threshold; returns the rejected side
/// of it.
double last_rejected(std::span<const Bet> bets, Alternative alternative, double rejected, double kept,
                     double threshold) {
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::midpoint(rejected, kept);
    (evidence_of(bets, alternative, middle) >= threshold ? rejected : kept) = middle;
  }
  return rejected;
}

}  // namespace

void BettingProcess::add(const Bet& bet) {
  const double direction = alternative_ == Alternative::above ? 1.0 : -1.0;
  const double gain = direction * std::clamp((bet.value - bound_) / (clip * bet.scale), -1.0, 1.0);
  for (std::size_t k = 0; k < stakes.size(); ++k) {
    wealth_[k] = std::min(wealth_[k] * (1.0 + stakes[k] * gain), largest_wealth);
  }
}

double BettingProcess::evidence() const {
  return std::accumulate(wealth_.begin(), wealth_.end(), 0.0) / static_cast<double>(wealth_.size());
}

double evidence_of(std::span<const Bet> bets, Alternative alternative, double bound) {
  BettingProcess process(alternative, bound);
  for (const Bet& bet : bets) process.add(bet);
  return process.evidence();
}

std::optional<std::pair<double, double>> confidence_interval(std::span<const Bet> bets, double level) {
  if (bets.empty()) return std::nullopt;
  const double threshold = 2.0 / (1.0 - level);
  const Range range = range_of(bets);
  if (evidence_of(bets, Alternative::above, range.low) < threshold) return std::nullopt;
  // The two ends never cross: as ln(1 + x) ≤ x, evidence above 1 for `above` needs a positive sum of gains
  // and for `below` a negative one.
  return std::pair(last_rejected(bets, Alternative::above, range.low, range.high, threshold),
                   last_rejected(bets, Alternative::below, range.high, range.low, threshold));
}

}  // namespace tandem::analysis
