#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evidence/ablations/ablations.hpp"

namespace tandem::evaluation {
namespace {

using analysis::ScreenSettings;

constexpr double margin = 0.01;
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

/// The daemon's settings after a calibration by the tuning half.
ScreenSettings calibrated(const Recording& recording) {
  return screen_settings(noise_of(recording.tuning()));
}

/// Screens of the judged half, their suspects confirmed if asked for.
TrialTally trials(AblationSetup& setup, const Recording& recording, const ScreenSettings& settings,
                  std::size_t count, Coin coin, Confirming confirming, const Plant& plant = {}) {
  const Resampling from(recording.judged(), recording.block(), setup.random);
  TrialSource source{[&] { return launches_of(from, coin, plant); }, {}};
  if (confirming == Confirming::yes) source.units = [&] { return units_of(from, coin, plant); };
  return run_trials(count, settings, source);
}

/// Equal builds and a slower one, over several recordings.
struct Pair {
  TrialTally null;
  TrialTally changed;

  /// Adds one recording's trials; returns its own suspects among equal builds.
  Proportion add(AblationSetup& setup, const Recording& recording, const ScreenSettings& settings,
                 Coin coin) {
    const TrialTally own = trials(setup, recording, settings, setup.sizes.null, coin, Confirming::yes);
    null.add(own);
    changed.add(trials(setup, recording, settings, setup.sizes.planted, coin, Confirming::no, slower));
    return own.suspected();
  }
  [[nodiscard]] Ablation row(std::string name, LaunchKind kind, std::string buys) const {
    return {std::move(name),        kind,           null.suspected(), null.recorded(), changed.found(),
            null.median_launches(), std::move(buys)};
  }
};

/// How often Student's t over ten launches finds a change, in the right direction if one is planted.
struct FixedTest {
  TestUnit unit;
  Proportion alarms = {};
  Proportion found = {};

  Proportion add(AblationSetup& setup, const Recording& recording) {
    const std::size_t before = alarms.hits;
    const auto add = [&](Proportion& sum, std::size_t count, const Plant& plant) {
      const std::size_t hits = hits_of(setup, recording, count, plant);
      sum = proportion(sum.hits + hits, sum.all + count);
    };
    add(alarms, setup.sizes.null, {});
    add(found, setup.sizes.planted, slower);
    return proportion(alarms.hits - before, setup.sizes.null);
  }
  [[nodiscard]] Ablation row(std::string name, std::string buys) const {
    return {std::move(name), LaunchKind::recorded,
            alarms,          std::nullopt,
            found,           static_cast<double>(launches_of_a_test),
            std::move(buys)};
  }

 private:
  std::size_t hits_of(AblationSetup& setup, const Recording& recording, std::size_t count,
                      const Plant& plant) {
    const Resampling from(recording.judged(), recording.block(), setup.random);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const NextLaunch next = launches_of(from, Coin::fresh, plant);
      std::vector<LaunchRow> rows;
      while (rows.size() < launches_of_a_test) rows.push_back(next());
      const auto said = pooled_test(rows, unit);
      hits += said && (!plant || *said == analysis::Direction::slower) ? 1 : 0;
    }
    return hits;
  }
};

void as_recorded(AblationSetup& setup, Ablations& found) {
  Pair built, bare;
  FixedTest slices{TestUnit::slices}, launches{TestUnit::launches};
  for (const Recording& recording : setup.all) {
    const ScreenSettings settings = calibrated(recording);
    RecordingAblation one;
    one.name = recording.name;
    one.built = built.add(setup, recording, settings, Coin::fresh);
    one.no_coin = bare.add(setup, recording, settings, Coin::none);
    one.slices = slices.add(setup, recording);
    one.launches = launches.add(setup, recording);
    found.recordings.push_back(one);
  }
  found.rows.push_back(built.row("as built", LaunchKind::recorded, ""));
  found.rows.push_back(bare.row("no coin, no opposite slots", LaunchKind::recorded,
                                "what the slots differ by never becomes a finding"));
  found.rows.push_back(
      built.row("no confirmation", LaunchKind::recorded, "what chance suspects is not recorded"));
  found.rows.back().records = found.rows.back().suspects;
  found.rows.push_back(
      slices.row("slices as unit: t-test of 10 launches, 1 %", "the unit that the machine draws anew"));
  found.rows.push_back(
      launches.row("launches as unit: t-test of 10, 1 %", "one look more after every launch, and a margin"));
}

void on_quiet_launches(AblationSetup& setup, Ablations& found) {
  Pair built, guessed;
  TrialTally rare, unseen;
  for (const Recording& recording : setup.quiet) {
    const ScreenSettings settings = calibrated(recording);
    built.add(setup, recording, settings, Coin::fresh);
    guessed.add(setup, recording, ScreenSettings{}, Coin::fresh);
    const auto run = [&](const Plant& plant) {
      return trials(setup, recording, settings, setup.sizes.planted, Coin::fresh, Confirming::no, plant);
    };
    rare.add(run(rarely_slower));
    unseen.add(run(rarely_slower_by_median));
  }
  found.rows.push_back(built.row("as built", LaunchKind::quiet, ""));
  found.rows.push_back(guessed.row("no calibration, σ taken to be δ", LaunchKind::quiet, "fewer launches"));
  found.rows.push_back({"as built, 2 % in the totals only", LaunchKind::quiet, std::nullopt, std::nullopt,
                        rare.found(), rare.median_launches(), ""});
  found.rows.push_back({"median only, 2 % in the totals only", LaunchKind::quiet, std::nullopt, std::nullopt,
                        unseen.found(), unseen.median_launches(),
                        fmt::format("eyes for rare slices: medians alone say `unchanged` in {}",
                                    percent(unseen.of_all(unseen.unchanged).share()))});
}

double by_sums(std::span<const double> units) {
  return sign_flip_p_value(units, 1);
}

ConfirmationAblation::Launched launched_in(const Recording& recording) {
  using Launched = ConfirmationAblation::Launched;
  return recording.name.find(".process") == std::string::npos ? Launched::slices : Launched::processes;
}

Proportion lost(AblationSetup& setup, std::span<const Recording> noisy, const ConfirmationAblation& row,
                analysis::PValueOf test) {
  const analysis::ConfirmationPlan plan{analysis::Direction::slower, analysis::minimum_effect(margin)};
  std::size_t missed = 0;
  std::size_t all = 0;
  for (const Recording& recording : noisy) {
    if (launched_in(recording) != row.launched) continue;
    const auto half =
        row.half == ConfirmationAblation::Half::tuning ? recording.tuning() : recording.judged();
    const Resampling from(half, recording.block(), setup.random);
    for (std::size_t i = 0; i < setup.sizes.planted; ++i) {
      const auto units = units_of(from, Coin::fresh, slower);
      const auto outcome = confirm_once(plan, row.statistic, units, test).outcome;
      missed += outcome == analysis::ConfirmationOutcome::confirmed ? 0 : 1;
      ++all;
    }
  }
  return proportion(missed, all);
}

void add_confirmation_ablations(AblationSetup& setup, Ablations& found) {
  std::vector<Recording> noisy;
  for (const Recording& recording : sound_ones(setup.all, margin)) {
    noisy.push_back(with_sigma(recording, std::log1p(margin), SigmaOf::both));
  }
  using Launched = ConfirmationAblation::Launched;
  using Half = ConfirmationAblation::Half;
  for (const Launched launched : {Launched::slices, Launched::processes}) {
    for (const Half half : {Half::tuning, Half::judged}) {
      for (const auto statistic : {analysis::Statistic::median, analysis::Statistic::total}) {
        ConfirmationAblation row{launched, half, statistic, {}, {}};
        row.sums = lost(setup, noisy, row, by_sums);
        row.ranks = lost(setup, noisy, row, analysis::signed_rank_p_value);
        if (row.ranks.all > 0) found.confirmations.push_back(row);
      }
    }
  }
}

AblationSetup ablation_setup(const PartSettings& settings) {
  AblationSetup setup{{},
                      tandem::Random(tandem::seed_of(fmt::format("ablations {}", settings.seed))),
                      recordings(settings),
                      {}};
  for (const Recording& recording : sound_ones(setup.all, margin)) {
    setup.quiet.push_back(with_sigma(recording, quiet_sigma * std::log1p(margin), SigmaOf::both));
  }
  const bool brief = settings.length == PartSettings::Length::brief;
  const auto part_of = [](std::size_t all, std::size_t recordings) { return 1 + (all - 1) / recordings; };
  setup.sizes.null = part_of(brief ? 140 : 56'000, setup.all.size());
  setup.sizes.planted = part_of(brief ? 42 : 5'600, setup.all.size());
  setup.sizes.layouts = part_of(brief ? 24 : 2'400, std::max<std::size_t>(setup.quiet.size(), 1));
  return setup;
}

}  // namespace

Ablations ablation_trials(const PartSettings& settings) {
  AblationSetup setup = ablation_setup(settings);
  Ablations found;
  settings.show("launches as recorded", 0, 4);
  as_recorded(setup, found);
  settings.show("quiet launches", 1, 4);
  on_quiet_launches(setup, found);
  settings.show("layouts", 2, 4);
  add_layout_ablations(setup, found);
  settings.show("confirmations", 3, 4);
  add_confirmation_ablations(setup, found);
  return found;
}

}  // namespace tandem::evaluation
