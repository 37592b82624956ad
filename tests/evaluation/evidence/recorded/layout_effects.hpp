#pragma once

#include <cstddef>
#include <vector>

#include "evaluation/evidence/recorded/resampling.hpp"
#include "evaluation/evidence/recorded/trial.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {

/// Simulated linkings of two equal builds: each layout has its own time, as ln, that no number of launches
/// averages away.
class LayoutEffects {
 public:
  /// `count` layouts of each side, normal with the deviation `spread`.
  LayoutEffects(double spread, std::size_t count, tandem::Random& random);

  /// ln(treatment / control) of one layout of each side, drawn for a launch.
  [[nodiscard]] double draw(tandem::Random& random) const;

 private:
  std::vector<double> control_;
  std::vector<double> treatment_;
};

/// What a confirmation's units are linked with.
enum class UnitLayouts {
  same,  ///< the layouts of the screen
  fresh  ///< new ones for every unit
};

struct LayoutPlan {
  double spread = 0.01;   ///< ω of one build
  std::size_t count = 8;  ///< k: layouts of each side in a screen
  UnitLayouts units = UnitLayouts::fresh;
};

/// Launches of equal builds, coins drawn afresh, that also draw their layouts; `plant` is done to each.
/// `random` and the launches of `from` have to stay.
[[nodiscard]] TrialSource with_layouts(const Resampling& from, const LayoutPlan& plan, tandem::Random& random,
                                       const Plant& plant = {});

}  // namespace tandem::evaluation
