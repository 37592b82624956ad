#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace tandem::analysis {

/// On which side of the bound the evidence looks for θ: `above` tests the hypothesis θ ≤ bound, `below` θ ≥
/// bound.
enum class Alternative { above, below };

/// One observation and the scale it is judged by, which was fixed before the observation was made.
struct Bet {
  double value = 0.0;
  double scale = 1.0;
};

/// A betting e-process: the wealth of a gambler who bets against one hypothesis and who, while the hypothesis
/// holds and every observation is symmetric about θ given the past, cannot expect to gain. So at any time,
/// chosen in any way, it is at least 1/α with probability at most α (Ville). No moments are assumed: an
/// observation counts only up to 2.5 scales.
class BettingProcess {
 public:
  BettingProcess(Alternative alternative, double bound) : alternative_(alternative), bound_(bound) {}

  void add(const Bet& bet);
  /// The mean wealth over five sizes of bet; 1 before the first observation.
  [[nodiscard]] double evidence() const;

 private:
  Alternative alternative_;
  double bound_;
  std::array<double, 5> wealth_{1.0, 1.0, 1.0, 1.0, 1.0};
};

/// The evidence after all of `bets`.
[[nodiscard]] double evidence_of(std::span<const Bet> bets, Alternative alternative, double bound);

/// The bounds b that neither process has rejected at half of 1 − level: an interval for θ that covers it with
/// probability `level` at whatever time one looks. nullopt when so few bets cannot reject any bound at that
/// level. Its lower and upper end are on the careful side of the exact ones by at most one part in 2^48 of
/// the bets' range.
[[nodiscard]] std::optional<std::pair<double, double>> confidence_interval(std::span<const Bet> bets,
                                                                           double level);

}  // namespace tandem::analysis
