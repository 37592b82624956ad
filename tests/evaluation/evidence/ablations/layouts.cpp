#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "evaluation/evidence/ablations/ablations.hpp"

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

/// Simulated linkings of two equal builds: each layout has its own time, as ln, that no number of launches
/// averages away.
struct LayoutEffects {
  std::vector<double> control;
  std::vector<double> treatment;

  /// `count` layouts of each side, normal with the deviation `spread`.
  LayoutEffects(double spread, std::size_t count, tandem::Random& random) {
    for (std::size_t i = 0; i < count; ++i) {
      control.push_back(spread * normal(random));
      treatment.push_back(spread * normal(random));
    }
  }
  /// ln(treatment / control) of one layout of each side, drawn for a launch.
  [[nodiscard]] double draw(tandem::Random& random) const {
    return treatment[random.below(treatment.size())] - control[random.below(control.size())];
  }
};

constexpr std::array layout_spreads = {0.005, 0.01, 0.02};
constexpr double spread_of_rows = layout_spreads[0];  // there δ is the default one whether ω is known or not
constexpr std::size_t built_layouts = 8;              // the daemon's own number
constexpr double planted = 0.02;

/// The daemon's settings once it knows how far layouts spread.
analysis::ScreenSettings settings_for(const Recording& recording, double spread, double margin) {
  analysis::Calibration calibration;
  calibration.noise = noise_of(recording.tuning());
  calibration.layout_spread = spread;
  const analysis::ExpectedSigma expected = analysis::expected_sigma(calibration);
  analysis::ScreenSettings settings;
  settings.margin = margin;
  settings.prior_sigma = expected.median;
  settings.prior_sigma_total = expected.total;
  return settings;
}

/// Screens over all quiet recordings, with `effect` planted.
TrialTally trials(AblationSetup& setup, const LayoutPlan& plan, double margin, Confirming confirming,
                  double effect = 0) {
  TrialTally sum;
  const Plant plant = [effect](const LaunchRow& row) { return slowed(row, 1 + effect); };
  for (const Recording& recording : setup.quiet) {
    const Resampling from(recording.judged(), recording.block(), setup.random);
    TrialSource source = with_layouts(from, plan, setup.random, plant);
    if (confirming == Confirming::no) source.units = nullptr;
    sum.add(run_trials(setup.sizes.layouts, settings_for(recording, plan.spread, margin), source));
  }
  return sum;
}

LayoutAblation screens_alone(AblationSetup& setup, const LayoutPlan& plan, double margin) {
  LayoutAblation row{plan.spread, margin, plan.count, {}, {}, {}, {}};
  const TrialTally null = trials(setup, plan, margin, Confirming::no);
  const TrialTally changed = trials(setup, plan, margin, Confirming::no, margin);
  row.suspects = null.suspected();
  row.missed = changed.of_all(changed.unchanged);
  return row;
}

LayoutAblation both_ways(AblationSetup& setup, LayoutPlan plan, double margin) {
  LayoutAblation row = screens_alone(setup, plan, margin);
  for (const UnitLayouts units : {UnitLayouts::same, UnitLayouts::fresh}) {
    plan.units = units;
    const TrialTally tally = trials(setup, plan, margin, Confirming::yes);
    (units == UnitLayouts::same ? row.same : row.fresh) = tally.recorded();
  }
  return row;
}

void add_rows(AblationSetup& setup, const LayoutAblation& layouts, Ablations& found) {
  const TrialTally changed = trials(setup, {layouts.spread, layouts.count, UnitLayouts::fresh},
                                    layouts.margin, Confirming::no, planted);
  const bool built = layouts.count == built_layouts;
  const std::string name = fmt::format("{} layout{}", layouts.count, layouts.count == 1 ? "" : "s");
  Ablation row{built ? "as built: 8 layouts, fresh ones to confirm" : name,
               LaunchKind::quiet_layouts,
               layouts.suspects,
               layouts.fresh,
               changed.found(),
               changed.median_launches(),
               built ? "" : "more layouts: fewer suspects made by where code lies"};
  found.rows.push_back(row);
  row.name = name + ", the same to confirm";
  row.records = layouts.same;
  row.buys = "fresh layouts: where code lies is not recorded";
  found.rows.push_back(row);
}

}  // namespace

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

void add_layout_ablations(AblationSetup& setup, Ablations& found) {
  const double configured = analysis::ScreenSettings{}.margin;
  for (const double spread : layout_spreads) {
    const double margin = analysis::margin_of({configured, spread, 0}).value;
    for (const std::size_t count : {built_layouts, std::size_t{4}, std::size_t{1}}) {
      const LayoutPlan plan{spread, count, UnitLayouts::fresh};
      found.layouts.push_back(both_ways(setup, plan, margin));
      if (spread == spread_of_rows) add_rows(setup, found.layouts.back(), found);
      if (margin > configured) found.layouts.push_back(screens_alone(setup, plan, configured));
    }
  }
}

}  // namespace tandem::evaluation
