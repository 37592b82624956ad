#pragma once

#include <cstddef>
#include <string>

#include "evaluation/evidence/results/result.hpp"

namespace tandem::evaluation {

/// How often something happened, and the interval of Clopper and Pearson (1934) for its probability.
struct Proportion {
  std::size_t hits = 0;
  std::size_t all = 0;
  double low = 0;
  double high = 1;

  [[nodiscard]] double share() const {
    return all == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(all);
  }
};

/// `level` is the coverage of both sides together. Of no hits the upper end is one-sided at that level, of
/// nothing but hits the lower one: "none of 30 000" bounds by 1e-4 at 95 %.
[[nodiscard]] Proportion proportion(std::size_t hits, std::size_t all, double level = 0.95);

/// "0.13 % (4 of 3 200; 0.03 to 0.32 %)", with as many digits as are needed to tell it from 0.
[[nodiscard]] std::string text_of(const Proportion& proportion);

/// A share as per cent with two significant digits at least: 0.0001 is "0.010 %".
[[nodiscard]] std::string percent(double share);

/// Of all decisions about equal builds, at most: how many may be suspects and records, and how many records
/// when only the layouts differ.
inline constexpr double false_suspects_goal = 0.006;
inline constexpr double false_records_goal = 1e-4;
inline constexpr double false_layout_records_goal = 1e-3;

/// Met if the whole interval is on the right side of the target, missed if the whole interval is on the wrong
/// side; in between not enough was measured to say.
[[nodiscard]] Goal::Met at_most(const Proportion& proportion, double target);
[[nodiscard]] Goal::Met at_least(const Proportion& proportion, double target);

/// Of a single figure.
[[nodiscard]] Goal::Met met(bool is_met);

}  // namespace tandem::evaluation
