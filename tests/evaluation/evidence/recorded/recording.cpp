#include "evaluation/evidence/recorded/recording.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t whole_block = 20;
constexpr std::size_t small_block = 10;
constexpr std::size_t fewest_for_whole_blocks = 40;

/// A launch that says just this number: calibration asks for launches, not for what they said.
runners::Launch launch_saying(double log_ratio) {
  runners::Launch launch;
  launch.control = {1.0};
  launch.treatment = {std::exp(log_ratio)};
  return launch;
}

void add(std::vector<Recording>& all, std::map<Origin, std::vector<LaunchRow>> launches,
         const std::string& mark) {
  for (auto& [origin, rows] : launches) {
    if (rows.size() < fewest_launches || origin.percent != 0 || origin.layouts != "same") continue;
    all.push_back({origin.workload + "." + origin.pairing + mark, std::move(rows)});
  }
}

}  // namespace

std::span<const LaunchRow> Recording::tuning() const {
  return std::span(launches).first(launches.size() / 2);
}

std::span<const LaunchRow> Recording::judged() const {
  return std::span(launches).subspan(launches.size() / 2);
}

std::size_t Recording::block() const {
  return tuning().size() < fewest_for_whole_blocks ? small_block : whole_block;
}

std::vector<Recording> recordings(const PartSettings& settings) {
  std::vector<Recording> all;
  auto traces = by_origin(read_samples(settings.source / "tests/evaluation/recorded/traces.tsv"));
  if (traces.empty()) throw Error("tests/evaluation/recorded/traces.tsv has no launches");
  add(all, std::move(traces), "");
  auto live = by_origin(read_samples(settings.out / "launches/live.tsv"));
  for (auto& [origin, rows] : live) {
    for (LaunchRow& row : rows) {
      if (row.first_slot != runners::Side::control) row = exchanged(row);
    }
  }
  add(all, std::move(live), " live");
  return all;
}

analysis::LaunchNoise noise_of(std::span<const LaunchRow> launches) {
  std::vector<runners::Launch> medians;
  std::vector<runners::Launch> totals;
  for (const LaunchRow& row : launches) {
    medians.push_back(launch_saying(row.statistics.median));
    totals.push_back(launch_saying(row.statistics.total));
  }
  analysis::LaunchNoise noise = analysis::noise_of(medians, {});
  noise.sigma_total = analysis::noise_of(totals, {}).sigma;
  return noise;
}

analysis::LaunchNoise noise_about_centre(std::span<const LaunchRow> launches) {
  std::vector<double> medians;
  std::vector<double> totals;
  for (const LaunchRow& row : launches) {
    medians.push_back(row.statistics.median);
    totals.push_back(row.statistics.total);
  }
  std::vector<LaunchRow> rows(launches.begin(), launches.end());
  for (LaunchRow& row : rows) {
    row.statistics.median -= *analysis::median(medians);
    row.statistics.total -= *analysis::median(totals);
  }
  return noise_of(rows);
}

std::string refusal(const Recording& recording, double margin) {
  analysis::TriedArrangement tried;
  tried.noise = noise_of(recording.tuning());
  return analysis::reason_to_refuse(tried, margin, 1);
}

std::vector<Recording> sound_ones(std::span<const Recording> recordings, double margin) {
  std::vector<Recording> sound;
  for (const Recording& recording : recordings) {
    const bool scatters = noise_of(recording.judged()).sigma > 0;
    if (scatters && refusal(recording, margin).empty()) sound.push_back(recording);
  }
  return sound;
}

analysis::ScreenSettings screen_settings(const analysis::LaunchNoise& noise) {
  analysis::ScreenSettings settings;
  settings.prior_sigma = noise.sigma;
  settings.prior_sigma_total = noise.sigma_total;
  return settings;
}

double larger_sigma(const analysis::LaunchNoise& noise) {
  return std::max(noise.sigma, noise.sigma_total);
}

Recording with_sigma(const Recording& recording, double sigma, SigmaOf of) {
  const analysis::LaunchNoise noise = noise_of(recording.judged());
  const double now = of == SigmaOf::medians ? noise.sigma : larger_sigma(noise);
  if (!(now > 0)) throw Error("launches of " + recording.name + " do not scatter at all");
  Recording other = recording;
  for (LaunchRow& row : other.launches) row = scaled(row, sigma / now);
  return other;
}

}  // namespace tandem::evaluation
