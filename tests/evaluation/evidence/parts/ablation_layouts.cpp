#include "evaluation/evidence/parts/ablation_layouts.hpp"

#include <fmt/format.h>

#include <array>

#include "analysis/calibration.hpp"
#include "analysis/margin.hpp"
#include "evaluation/evidence/recorded/layout_effects.hpp"

namespace tandem::evaluation {
namespace {

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
TrialTally trials(AblationBench& bench, const LayoutPlan& plan, double margin, Confirming confirming,
                  double effect = 0) {
  TrialTally sum;
  const Plant plant = [effect](const LaunchRow& row) { return slowed(row, 1 + effect); };
  for (const Recording& recording : bench.quiet) {
    const Resampling from(recording.judged(), recording.block(), bench.random);
    TrialSource source = with_layouts(from, plan, bench.random, plant);
    if (confirming == Confirming::no) source.units = nullptr;
    sum.add(run_trials(bench.sizes.layouts, settings_for(recording, plan.spread, margin), source));
  }
  return sum;
}

LayoutAblation screens_alone(AblationBench& bench, const LayoutPlan& plan, double margin) {
  LayoutAblation row{plan.spread, margin, plan.count, {}, {}, {}, {}};
  const TrialTally null = trials(bench, plan, margin, Confirming::no);
  const TrialTally changed = trials(bench, plan, margin, Confirming::no, margin);
  row.suspects = proportion(null.suspects(), null.trials());
  row.missed = proportion(changed.unchanged, changed.trials());
  return row;
}

LayoutAblation both_ways(AblationBench& bench, LayoutPlan plan, double margin) {
  LayoutAblation row = screens_alone(bench, plan, margin);
  for (const UnitLayouts units : {UnitLayouts::same, UnitLayouts::fresh}) {
    plan.units = units;
    const TrialTally tally = trials(bench, plan, margin, Confirming::yes);
    (units == UnitLayouts::same ? row.same : row.fresh) = proportion(tally.records(), tally.trials());
  }
  return row;
}

void add_rows(AblationBench& bench, const LayoutAblation& layouts, Ablations& found) {
  const TrialTally changed = trials(bench, {layouts.spread, layouts.count, UnitLayouts::fresh},
                                    layouts.margin, Confirming::no, planted);
  const bool built = layouts.count == built_layouts;
  const std::string name = fmt::format("{} layout{}", layouts.count, layouts.count == 1 ? "" : "s");
  Ablation row{built ? "as built: 8 layouts, fresh ones to confirm" : name,
               LaunchKind::quiet_layouts,
               layouts.suspects,
               layouts.fresh,
               proportion(changed.slower, changed.trials()),
               launches_at(changed.launches, 0.5),
               built ? "" : "more layouts: fewer suspects made by where code lies"};
  found.rows.push_back(row);
  row.name = name + ", the same to confirm";
  row.records = layouts.same;
  row.buys = "fresh layouts: where code lies is not recorded";
  found.rows.push_back(row);
}

}  // namespace

void add_layout_ablations(AblationBench& bench, Ablations& found) {
  const double configured = analysis::ScreenSettings{}.margin;
  for (const double spread : layout_spreads) {
    const double margin = analysis::margin_of({configured, spread, 0}).value;
    for (const std::size_t count : {built_layouts, std::size_t{4}, std::size_t{1}}) {
      const LayoutPlan plan{spread, count, UnitLayouts::fresh};
      found.layouts.push_back(both_ways(bench, plan, margin));
      if (spread == spread_of_rows) add_rows(bench, found.layouts.back(), found);
      if (margin > configured) found.layouts.push_back(screens_alone(bench, plan, configured));
    }
  }
}

}  // namespace tandem::evaluation
