#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "evaluation/evidence/recorded/launch_row.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {

/// Recorded launches drawn again and again without end: blocks of successive launches from random places, so
/// that neighbours stay neighbours. The first launch follows the last.
class Resampling {
 public:
  /// `launches` and `random` have to stay. Throws Error when there are no launches or a block has none.
  Resampling(std::span<const LaunchRow> launches, std::size_t block, tandem::Random& random);

  [[nodiscard]] const LaunchRow& next();
  /// What the places are drawn with.
  [[nodiscard]] tandem::Random& random() const { return *random_; }

 private:
  std::span<const LaunchRow> launches_;
  std::size_t block_;
  tandem::Random* random_;
  std::size_t position_ = 0;
  std::size_t left_ = 0;
};

enum class Coin { fresh, none };

/// Where the launches of a screen and the units of a confirmation come from, one by one.
using NextLaunch = std::function<LaunchRow()>;
using Unit = std::array<LaunchRow, 2>;
using NextUnit = std::function<Unit()>;

/// A change of one launch: what is planted.
using Plant = std::function<LaunchRow(const LaunchRow&)>;

/// Both sides of each launch are exchanged or not by a fresh coin, or never; then `plant` is done to it. The
/// launches of one call belong together: each call begins with a new block.
[[nodiscard]] NextLaunch launches_of(Resampling from, Coin coin, Plant plant = {});

/// Two successive launches in opposite slots, the coin deciding which of them is exchanged; without a coin
/// both as recorded, in the same slots.
[[nodiscard]] NextUnit units_of(Resampling from, Coin coin, Plant plant = {});

/// The log-ratios multiplied: the same launches on a quieter or noisier host. The times of the sides stay.
[[nodiscard]] LaunchRow scaled(const LaunchRow& row, double factor);

/// Only the total multiplied: rare slices got dearer, the typical one did not.
[[nodiscard]] LaunchRow slowed_in_total(const LaunchRow& row, double factor);

}  // namespace tandem::evaluation
