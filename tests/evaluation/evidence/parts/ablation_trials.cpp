#include "evaluation/evidence/parts/ablation_trials.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "evaluation/evidence/parts/ablation_bench.hpp"
#include "evaluation/evidence/parts/ablation_confirmations.hpp"
#include "evaluation/evidence/parts/ablation_layouts.hpp"
#include "evaluation/evidence/recorded/pooled_slices.hpp"

namespace tandem::evaluation {
namespace {

using analysis::ScreenSettings;

constexpr double planted = 1.02;
constexpr std::size_t launches_of_a_test = 10;

LaunchRow slower(const LaunchRow& row) {
  return slowed(row, planted);
}

LaunchRow rarely_slower(const LaunchRow& row) {
  return slowed_in_total(row, planted);
}

LaunchRow rarely_slower_by_median(const LaunchRow& row) {
  LaunchRow other = rarely_slower(row);
  other.statistics.total = other.statistics.median;
  return other;
}

Proportion suspects_of(const TrialTally& tally) {
  return proportion(tally.suspects(), tally.trials());
}

Proportion records_of(const TrialTally& tally) {
  return proportion(tally.records(), tally.trials());
}

Proportion found_of(const TrialTally& tally) {
  return proportion(tally.slower, tally.trials());
}

/// Equal builds and a slower one, over several recordings.
struct Pair {
  TrialTally null;
  TrialTally changed;
};

/// One recording's trials are added; its own suspects among equal builds are returned.
Proportion add_trials(AblationBench& bench, Pair& pair, const Recording& recording,
                      const ScreenSettings& settings, Coin coin) {
  const TrialTally null = bench.trials(recording, settings, bench.sizes.null, coin, Confirming::yes);
  pair.null.add(null);
  pair.changed.add(bench.trials(recording, settings, bench.sizes.planted, coin, Confirming::no, slower));
  return suspects_of(null);
}

Ablation row_of(std::string name, LaunchKind kind, const Pair& pair, std::string buys) {
  return {std::move(name),        kind,
          suspects_of(pair.null), records_of(pair.null),
          found_of(pair.changed), launches_at(pair.null.launches, 0.5),
          std::move(buys)};
}

/// How often Student's t over ten launches finds a change, in the right direction if one is planted.
Proportion fixed_test(AblationBench& bench, const Recording& recording, TestUnit unit, std::size_t count,
                      const Plant& plant) {
  const Resampling from(recording.judged(), recording.block(), bench.random);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const NextLaunch next = launches_of(from, Coin::fresh, plant);
    std::vector<LaunchRow> rows;
    while (rows.size() < launches_of_a_test) rows.push_back(next());
    const auto said = pooled_test(rows, unit);
    hits += said && (!plant || *said == analysis::Direction::slower) ? 1 : 0;
  }
  return proportion(hits, count);
}

struct FixedTest {
  std::size_t trials = 0;
  std::size_t alarms = 0;
  std::size_t planted = 0;
  std::size_t found = 0;

  Proportion add(AblationBench& bench, const Recording& recording, TestUnit unit) {
    const Proportion null = fixed_test(bench, recording, unit, bench.sizes.null, {});
    const Proportion changed = fixed_test(bench, recording, unit, bench.sizes.planted, slower);
    trials += null.all;
    alarms += null.hits;
    planted += changed.all;
    found += changed.hits;
    return null;
  }
  [[nodiscard]] Ablation row(std::string name, std::string buys) const {
    return {std::move(name), LaunchKind::recorded,       proportion(alarms, trials),
            std::nullopt,    proportion(found, planted), static_cast<double>(launches_of_a_test),
            std::move(buys)};
  }
};

void as_recorded(AblationBench& bench, Ablations& found) {
  Pair built, bare;
  FixedTest slices, launches;
  for (const Recording& recording : bench.all) {
    const ScreenSettings settings = calibrated(recording);
    RecordingAblation one;
    one.name = recording.name;
    one.built = add_trials(bench, built, recording, settings, Coin::fresh);
    one.no_coin = add_trials(bench, bare, recording, settings, Coin::none);
    one.slices = slices.add(bench, recording, TestUnit::slices);
    one.launches = launches.add(bench, recording, TestUnit::launches);
    found.recordings.push_back(one);
  }
  found.rows.push_back(row_of("as built", LaunchKind::recorded, built, ""));
  found.rows.push_back(row_of("no coin, no opposite slots", LaunchKind::recorded, bare,
                              "what the slots differ by never becomes a finding"));
  found.rows.push_back(
      row_of("no confirmation", LaunchKind::recorded, built, "what chance suspects is not recorded"));
  found.rows.back().records = found.rows.back().suspects;
  found.rows.push_back(
      slices.row("slices as unit: t-test of 10 launches, 1 %", "the unit that the machine draws anew"));
  found.rows.push_back(
      launches.row("launches as unit: t-test of 10, 1 %", "one look more after every launch, and a margin"));
}

void on_quiet_launches(AblationBench& bench, Ablations& found) {
  Pair built, guessed;
  TrialTally rare, unseen;
  for (const Recording& recording : bench.quiet) {
    const ScreenSettings settings = calibrated(recording);
    add_trials(bench, built, recording, settings, Coin::fresh);
    add_trials(bench, guessed, recording, ScreenSettings{}, Coin::fresh);
    const auto run = [&](const Plant& plant) {
      return bench.trials(recording, settings, bench.sizes.planted, Coin::fresh, Confirming::no, plant);
    };
    rare.add(run(rarely_slower));
    unseen.add(run(rarely_slower_by_median));
  }
  found.rows.push_back(row_of("as built", LaunchKind::quiet, built, ""));
  found.rows.push_back(
      row_of("no calibration, σ taken to be δ", LaunchKind::quiet, guessed, "fewer launches"));
  found.rows.push_back({"as built, 2 % in the totals only", LaunchKind::quiet, std::nullopt, std::nullopt,
                        found_of(rare), launches_at(rare.launches, 0.5), ""});
  found.rows.push_back({"median only, 2 % in the totals only", LaunchKind::quiet, std::nullopt, std::nullopt,
                        found_of(unseen), launches_at(unseen.launches, 0.5),
                        fmt::format("eyes for rare slices: medians alone say `unchanged` in {}",
                                    percent(proportion(unseen.unchanged, unseen.trials()).share()))});
}

}  // namespace

Ablations ablation_trials(const PartSettings& settings) {
  AblationBench bench = ablation_bench(settings);
  Ablations found;
  settings.show("launches as recorded", 0, 4);
  as_recorded(bench, found);
  settings.show("quiet launches", 1, 4);
  on_quiet_launches(bench, found);
  settings.show("layouts", 2, 4);
  add_layout_ablations(bench, found);
  settings.show("confirmations", 3, 4);
  add_confirmation_ablations(bench, found);
  return found;
}

}  // namespace tandem::evaluation
