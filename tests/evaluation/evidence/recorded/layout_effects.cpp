#include "evaluation/evidence/recorded/layout_effects.hpp"

#include <cmath>
#include <memory>
#include <numbers>

namespace tandem::evaluation {
namespace {

double uniform(tandem::Random& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

/// Box and Muller (1958).
double normal(tandem::Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

}  // namespace

LayoutEffects::LayoutEffects(double spread, std::size_t count, tandem::Random& random) {
  for (std::size_t i = 0; i < count; ++i) {
    control_.push_back(spread * normal(random));
    treatment_.push_back(spread * normal(random));
  }
}

double LayoutEffects::draw(tandem::Random& random) const {
  return treatment_[random.below(treatment_.size())] - control_[random.below(control_.size())];
}

TrialSource with_layouts(const Resampling& from, const LayoutPlan& plan, tandem::Random& random,
                         const Plant& plant) {
  // The layouts of the trial: a screen draws them, its confirmation may use them again.
  const auto layouts = std::make_shared<LayoutEffects>(plan.spread, plan.count, random);
  TrialSource source;
  source.launches = [=, &random] {
    *layouts = LayoutEffects(plan.spread, plan.count, random);
    return [next = launches_of(from, Coin::fresh, plant), layouts, &random] {
      return slowed(next(), std::exp(layouts->draw(random)));
    };
  };
  source.units = [=, &random] {
    return [next = units_of(from, Coin::fresh, plant), layouts, plan, &random] {
      const bool fresh = plan.units == UnitLayouts::fresh;
      const double moved = fresh ? LayoutEffects(plan.spread, 1, random).draw(random) : layouts->draw(random);
      Unit unit = next();
      for (LaunchRow& row : unit) row = slowed(row, std::exp(moved));
      return unit;
    };
  };
  return source;
}

}  // namespace tandem::evaluation
