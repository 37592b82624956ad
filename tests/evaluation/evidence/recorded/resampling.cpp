#include "evaluation/evidence/recorded/resampling.hpp"

#include <cmath>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

LaunchRow planted(const Plant& plant, const LaunchRow& row) {
  return plant ? plant(row) : row;
}

}  // namespace

Resampling::Resampling(std::span<const LaunchRow> launches, std::size_t block, tandem::Random& random)
    : launches_(launches), block_(block), random_(&random) {
  if (launches.empty() || block == 0) throw Error("there are no launches to draw from");
}

const LaunchRow& Resampling::next() {
  if (left_ == 0) {
    left_ = block_;
    position_ = random_->below(launches_.size());
  }
  --left_;
  return launches_[position_++ % launches_.size()];
}

NextLaunch launches_of(Resampling from, Coin coin, Plant plant) {
  return [from, coin, plant = std::move(plant)]() mutable {
    const LaunchRow& row = from.next();
    const bool exchange = coin == Coin::fresh && from.random().coin();
    return planted(plant, exchange ? exchanged(row) : row);
  };
}

NextUnit units_of(Resampling from, Coin coin, Plant plant) {
  return [from, coin, plant = std::move(plant)]() mutable -> Unit {
    Unit unit = {from.next(), from.next()};
    if (coin == Coin::fresh) {
      LaunchRow& turned = from.random().coin() ? unit[0] : unit[1];
      turned = exchanged(turned);
    }
    return {planted(plant, unit[0]), planted(plant, unit[1])};
  };
}

LaunchRow scaled(const LaunchRow& row, double factor) {
  LaunchRow other = row;
  for (double* value :
       {&other.statistics.median, &other.statistics.total, &other.log_mean, &other.log_deviation}) {
    *value *= factor;
  }
  return other;
}

LaunchRow slowed_in_total(const LaunchRow& row, double factor) {
  LaunchRow slower = row;
  slower.statistics.total += std::log(factor);
  return slower;
}

}  // namespace tandem::evaluation
