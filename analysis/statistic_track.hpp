#pragma once

#include <vector>

#include "analysis/betting.hpp"
#include "analysis/statistics.hpp"
#include "analysis/verdict.hpp"

namespace tandem::analysis {

/// One of the launch statistics followed through a screen: its four hypotheses, its scale, its estimate.
/// All in logarithms, but for the ratio.
class StatisticTrack {
 public:
  /// `margin` is δ as a logarithm, `prior_sigma` the standard deviation that calibration expects of one
  /// launch.
  StatisticTrack(double margin, double prior_sigma);

  /// Takes the value of one launch. A failed launch has none and is left out: a bet of 0 changes no wealth.
  void add(double value);

  [[nodiscard]] Evidence evidence() const;
  /// The Hodges–Lehmann estimate with its anytime-valid interval, both as ratios. The interval is widened to
  /// hold the estimate where it does not, which happens with few and wild launches only.
  [[nodiscard]] RatioInterval ratio() const;
  /// The robust standard deviation of the values; below two values, the prior one.
  [[nodiscard]] double sigma() const;
  [[nodiscard]] std::size_t size() const { return bets_.size(); }

 private:
  /// The scale for the next bet: known before its value is, which keeps the bets fair.
  [[nodiscard]] double next_scale() const;

  double margin_;
  double prior_sigma_;
  BettingProcess slower_;
  BettingProcess faster_;
  BettingProcess not_slower_;
  BettingProcess not_faster_;
  std::vector<Bet> bets_;
  SortedSample values_;
};

}  // namespace tandem::analysis
