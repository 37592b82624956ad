#include <algorithm>
#include <array>
#include <cmath>

#include "evaluation/evidence/replay/replay.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::array planted_sizes = {0.005, 0.01, 0.02, 0.03, 0.05};
constexpr std::array curve_sizes = {0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.03, 0.05};
constexpr std::array relative_sigmas = {0.2, 0.4, 0.5, 0.7, 1.0, 1.5};

/// Trials of each kind over all recordings together; of planted effects of every recording in each direction.
struct Sizes {
  std::size_t null = 140'000;
  std::size_t confirmations = 30'800;
  std::size_t planted = 400;
  std::size_t curve = 1200;
};

Sizes sizes_of(const PartSettings& settings) {
  return settings.length == PartSettings::Length::full ? Sizes{} : Sizes{280, 28, 3, 12};
}

/// Its part of all the trials, rounded up.
std::size_t part_of(std::size_t all, std::size_t recordings) {
  return 1 + (all - 1) / std::max<std::size_t>(recordings, 1);
}

ReplayedRecording replay_one(const Recording& recording, const Sizes& sizes, std::size_t recordings,
                             std::uint64_t seed) {
  ReplayedRecording replayed;
  replayed.name = recording.name;
  replayed.judged = recording.judged().size();
  replayed.block = recording.block();
  replayed.noise = noise_of(recording.judged());
  replayed.refused = refusal(recording, replay_margin);
  replayed.null = null_trials(recording, part_of(sizes.null, recordings), seed);
  replayed.confirmations = part_of(sizes.confirmations, recordings);
  replayed.confirmed = null_confirmations(recording, replayed.confirmations, seed);
  for (const double size : planted_sizes) {
    replayed.planted.emplace_back(size,
                                  both_directions(recording, size, sizes.planted, Confirming::no, seed));
  }
  return replayed;
}

/// "sort.alternate live" was measured by "alternate".
std::string pairing_of(const Recording& recording) {
  const std::string pairing = recording.name.substr(recording.name.find('.') + 1);
  return pairing.substr(0, pairing.find(' '));
}

ReplayedNoise replay_scaled(const std::vector<Recording>& sound, double relative_sigma, const Sizes& sizes,
                            std::uint64_t seed) {
  ReplayedNoise replayed;
  replayed.relative_sigma = relative_sigma;
  for (const double size : curve_sizes) replayed.planted.emplace_back(size, TrialTally{});
  const double sigma = relative_sigma * std::log1p(replay_margin);
  const std::size_t count = part_of(sizes.curve, sound.size());
  for (const Recording& recording : sound) {
    const Recording scaled = with_sigma(recording, sigma);
    const auto far = std::count_if(scaled.judged().begin(), scaled.judged().end(), [&](const LaunchRow& row) {
      return std::abs(row.statistics.median) > 5 * sigma;
    });
    Proportion& far_out = replayed.far_out[pairing_of(recording)];
    far_out = proportion(far_out.hits + static_cast<std::size_t>(far), far_out.all + scaled.judged().size());
    for (auto& [size, tally] : replayed.planted) {
      const TrialTally found = both_directions(scaled, size, count, Confirming::yes, seed);
      tally.add(found);
      if (size == 2 * replay_margin) replayed.twice_the_margin[pairing_of(recording)].add(found);
    }
    replayed.null.add(null_trials(scaled, 2 * count, seed));
    replayed.null_larger.add(null_trials(with_sigma(recording, sigma, SigmaOf::both), 2 * count, seed));
  }
  return replayed;
}

std::vector<ReplayedWork> replay_work(const PartSettings& settings, const Sizes& sizes) {
  std::vector<ReplayedWork> all;
  for (const auto& [origin, rows] : by_origin(read_samples(settings.out / "launches/power.tsv"))) {
    if (origin.percent == 0 || rows.size() < fewest_launches) continue;
    const TrialTally tally = real_trials(rows, sizes.planted, settings.seed);
    all.push_back({origin, rows.size() - rows.size() / 2, origin.percent > 0 ? tally : tally.turned()});
  }
  return all;
}

}  // namespace

double ReplayedRecording::relative_sigma() const {
  return noise.sigma / std::log1p(replay_margin);
}

double launches_by_rule(double relative_sigma) {
  return 6 + 11 * relative_sigma * relative_sigma;
}

Replayed replay_trials(const PartSettings& settings) {
  const Sizes sizes = sizes_of(settings);
  const std::vector<Recording> all = recordings(settings);
  const std::size_t steps = all.size() + relative_sigmas.size();
  Replayed replayed;
  for (const Recording& recording : all) {
    settings.show(recording.name, replayed.recordings.size(), steps);
    const ReplayedRecording& one =
        replayed.recordings.emplace_back(replay_one(recording, sizes, all.size(), settings.seed));
    replayed.sum.null.add(one.null);
    replayed.sum.confirmations += one.confirmations;
    replayed.sum.confirmed += one.confirmed;
  }
  std::vector<Recording> sound = sound_ones(all, replay_margin);
  // Where medians scatter by next to nothing, scaling them to the margin would make the totals many times as
  // wide.
  std::erase_if(sound, [](const Recording& recording) {
    const auto noise = noise_of(recording.tuning());
    return noise.sigma_total > 3 * noise.sigma || recording.launches.size() < fewest_to_scale;
  });
  for (const double relative_sigma : relative_sigmas) {
    settings.show("power by noise", all.size() + replayed.noises.size(), steps);
    replayed.noises.push_back(replay_scaled(sound, relative_sigma, sizes, settings.seed));
  }
  replayed.work = replay_work(settings, sizes);
  return replayed;
}

}  // namespace tandem::evaluation
