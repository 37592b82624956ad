#include "evaluation/evidence/parts/ablation_confirmations.hpp"

#include <cmath>

#include "evaluation/evidence/recorded/sign_flip.hpp"

namespace tandem::evaluation {
namespace {

constexpr double margin = 0.01;
constexpr double planted = 1.02;

double by_sums(std::span<const double> units) {
  return sign_flip_p_value(units, 1);
}

LaunchRow slower(const LaunchRow& row) {
  return slowed(row, planted);
}

ConfirmationAblation::Launched launched_in(const Recording& recording) {
  using Launched = ConfirmationAblation::Launched;
  return recording.name.find(".process") == std::string::npos ? Launched::slices : Launched::processes;
}

Proportion lost(AblationBench& bench, std::span<const Recording> noisy, const ConfirmationAblation& row,
                analysis::PValueOf test) {
  const analysis::ConfirmationPlan plan{analysis::Direction::slower, analysis::minimum_effect(margin)};
  std::size_t missed = 0;
  std::size_t all = 0;
  for (const Recording& recording : noisy) {
    if (launched_in(recording) != row.launched) continue;
    const auto half =
        row.half == ConfirmationAblation::Half::tuning ? recording.tuning() : recording.judged();
    const Resampling from(half, recording.block(), bench.random);
    for (std::size_t i = 0; i < bench.sizes.planted; ++i) {
      const auto units = units_of(from, Coin::fresh, slower);
      const auto outcome = confirm_once(plan, row.statistic, units, test).outcome;
      missed += outcome == analysis::ConfirmationOutcome::confirmed ? 0 : 1;
      ++all;
    }
  }
  return proportion(missed, all);
}

}  // namespace

void add_confirmation_ablations(AblationBench& bench, Ablations& found) {
  std::vector<Recording> noisy;
  for (const Recording& recording : sound_ones(bench.all, margin)) {
    noisy.push_back(with_sigma(recording, std::log1p(margin), SigmaOf::both));
  }
  using Launched = ConfirmationAblation::Launched;
  using Half = ConfirmationAblation::Half;
  for (const Launched launched : {Launched::slices, Launched::processes}) {
    for (const Half half : {Half::tuning, Half::judged}) {
      for (const auto statistic : {analysis::Statistic::median, analysis::Statistic::total}) {
        ConfirmationAblation row{launched, half, statistic, {}, {}};
        row.sums = lost(bench, noisy, row, by_sums);
        row.ranks = lost(bench, noisy, row, analysis::signed_rank_p_value);
        if (row.ranks.all > 0) found.confirmations.push_back(row);
      }
    }
  }
}

}  // namespace tandem::evaluation
