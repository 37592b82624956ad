#include "evaluation/evidence/recorded/replaying.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/statistics.hpp"

namespace tandem::evaluation {
namespace {

tandem::Random random_for(const std::string& what, std::uint64_t seed) {
  return tandem::Random(tandem::seed_of(fmt::format("{} {}", what, seed)));
}

Recording recording_of(std::span<const LaunchRow> launches) {
  return {"", {launches.begin(), launches.end()}};
}

}  // namespace

TrialTally null_trials(const Recording& recording, std::size_t count, std::uint64_t seed) {
  return planted_trials(recording, 0, count, Confirming::yes, seed);
}

TrialTally planted_trials(const Recording& recording, double effect, std::size_t count, Confirming confirming,
                          std::uint64_t seed) {
  tandem::Random random =
      random_for(fmt::format("{} {} {:g}", recording.name, effect, noise_of(recording.tuning()).sigma), seed);
  const Resampling from(recording.judged(), recording.block(), random);
  Plant plant;
  if (effect != 0) plant = [effect](const LaunchRow& row) { return slowed(row, 1 + effect); };
  TrialSource source{[&] { return launches_of(from, Coin::fresh, plant); }, {}};
  if (confirming == Confirming::yes) source.units = [&] { return units_of(from, Coin::fresh, plant); };
  return run_trials(count, screen_settings(noise_of(recording.tuning())), source);
}

std::size_t null_confirmations(const Recording& recording, std::size_t count, std::uint64_t seed) {
  using analysis::Direction;
  using analysis::Statistic;
  tandem::Random random = random_for("confirmations " + recording.name, seed);
  const Resampling from(recording.judged(), recording.block(), random);
  std::size_t confirmed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    analysis::ConfirmationPlan plan;
    plan.suspected = i % 2 == 0 ? Direction::slower : Direction::faster;
    plan.minimum_effect = analysis::minimum_effect(analysis::ScreenSettings{}.margin);
    const Statistic statistic = i / 2 % 2 == 0 ? Statistic::median : Statistic::total;
    const auto result = confirm_once(plan, statistic, units_of(from, Coin::fresh));
    confirmed += result.outcome == analysis::ConfirmationOutcome::confirmed ? 1 : 0;
  }
  return confirmed;
}

TrialTally real_trials(std::span<const LaunchRow> launches, std::size_t count, std::uint64_t seed) {
  tandem::Random random = random_for("real", seed);
  const Recording recording = recording_of(launches);
  const Resampling from(recording.judged(), recording.block(), random);
  const TrialSource source{[&] { return launches_of(from, Coin::none); }, {}};
  return run_trials(count, screen_settings(noise_about_centre(recording.tuning())), source);
}

void PlantedTally::add(const TrialTally& tally, double effect) {
  found += effect > 0 ? tally.slower : tally.faster;
  wrong += effect > 0 ? tally.faster : tally.slower;
  unchanged += tally.unchanged;
  inconclusive += tally.inconclusive;
  recorded += effect > 0 ? tally.recorded_slower : tally.recorded_faster;
  launches.insert(launches.end(), tally.launches.begin(), tally.launches.end());
}

void PlantedTally::add(const PlantedTally& other) {
  found += other.found;
  wrong += other.wrong;
  unchanged += other.unchanged;
  inconclusive += other.inconclusive;
  recorded += other.recorded;
  launches.insert(launches.end(), other.launches.begin(), other.launches.end());
}

PlantedTally both_directions(const Recording& recording, double size, std::size_t count,
                             Confirming confirming, std::uint64_t seed) {
  PlantedTally both;
  for (const double effect : {size, 1 / (1 + size) - 1}) {
    both.add(planted_trials(recording, effect, count, confirming, seed), effect);
  }
  return both;
}

}  // namespace tandem::evaluation
