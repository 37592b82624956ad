#include "evaluation/evidence/parts/ablation_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evidence/parts/ablation_trials.hpp"

namespace tandem::evaluation {

TrialTally AblationBench::trials(const Recording& recording, const analysis::ScreenSettings& settings,
                                 std::size_t count, Coin coin, Confirming confirming, const Plant& plant) {
  const Resampling from(recording.judged(), recording.block(), random);
  TrialSource source{[&] { return launches_of(from, coin, plant); }, {}};
  if (confirming == Confirming::yes) source.units = [&] { return units_of(from, coin, plant); };
  return run_trials(count, settings, source);
}

AblationBench ablation_bench(const PartSettings& settings) {
  const double margin = analysis::ScreenSettings{}.margin;
  AblationBench bench{{},
                      tandem::Random(tandem::seed_of(fmt::format("ablations {}", settings.seed))),
                      recordings(settings),
                      {}};
  for (const Recording& recording : sound_ones(bench.all, margin)) {
    bench.quiet.push_back(with_sigma(recording, quiet_sigma * std::log1p(margin), SigmaOf::both));
  }
  const bool brief = settings.length == PartSettings::Length::brief;
  const auto part_of = [](std::size_t all, std::size_t recordings) { return 1 + (all - 1) / recordings; };
  bench.sizes.null = part_of(brief ? 140 : 56'000, bench.all.size());
  bench.sizes.planted = part_of(brief ? 42 : 5'600, bench.all.size());
  bench.sizes.layouts = part_of(brief ? 24 : 2'400, std::max<std::size_t>(bench.quiet.size(), 1));
  return bench;
}

analysis::ScreenSettings calibrated(const Recording& recording) {
  return screen_settings(noise_of(recording.tuning()));
}

}  // namespace tandem::evaluation
