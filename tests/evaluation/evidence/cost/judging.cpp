#include <chrono>
#include <functional>

#include "analysis/confirmation.hpp"
#include "analysis/launch_statistics.hpp"
#include "analysis/screen.hpp"
#include "analysis/statistics.hpp"
#include "evaluation/evidence/cost/cost.hpp"
#include "tests/analysis/simulation.hpp"

namespace tandem::evaluation {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t pairs_per_launch = 300;
constexpr std::size_t prepared_launches = 66;
constexpr double slice_ns = 2e5;
constexpr double noise_of_slice = 0.05;
constexpr double noise_of_launch = 0.02;  // two margins: a screen seldom decides before its last launch
constexpr std::size_t batches = 9;

/// Keeps the compiler from leaving out what nobody reads.
volatile double sink = 0;

runners::Launch launch(analysis::Noise& noise) {
  runners::Launch one;
  const double shift = noise_of_launch * noise.normal();
  for (std::size_t pair = 0; pair < pairs_per_launch; ++pair) {
    one.control.push_back(slice_ns * (1 + noise_of_slice * noise.uniform()));
    one.treatment.push_back(slice_ns * (1 + shift + noise_of_slice * noise.uniform()));
    one.first.push_back(pair % 2 == 0 ? runners::Side::control : runners::Side::treatment);
  }
  return one;
}

/// Seconds of one call, each doing `pieces` of work: the median over batches that take `batch` together.
double seconds_of(const std::function<void()>& call, double pieces, double batch) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < batches; ++i) {
    std::size_t calls = 0;
    const auto begin = Clock::now();
    double passed = 0;
    do {
      call();
      ++calls;
      passed = std::chrono::duration<double>(Clock::now() - begin).count();
    } while (passed < batch);
    medians.push_back(passed / static_cast<double>(calls) / pieces);
  }
  return *analysis::median(medians);
}

/// One more launch after the other, a new screen whenever one has decided.
void judge_all(const std::vector<analysis::LaunchStatistics>& launches,
               const analysis::ScreenSettings& settings) {
  analysis::Screen screen(settings);
  for (const analysis::LaunchStatistics& one : launches) {
    if (screen.outcome()) screen = analysis::Screen(settings);
    screen.advance(one);
  }
  sink = sink + static_cast<double>(screen.history().launches.size());
}

}  // namespace

JudgingCost measure_judging(std::uint64_t seed, PartSettings::Length length) {
  const double batch = length == PartSettings::Length::full ? 0.1 : 0.002;
  analysis::Noise noise(seed);
  std::vector<runners::Launch> launches;
  std::vector<analysis::LaunchStatistics> statistics;
  while (launches.size() < prepared_launches) {
    launches.push_back(launch(noise));
    statistics.push_back(*analysis::launch_statistics(launches.back()));
  }
  JudgingCost cost;
  cost.pairs = pairs_per_launch;
  cost.reduce_microseconds = 1e6 * seconds_of(
                                       [&] {
                                         for (const runners::Launch& one : launches) {
                                           sink = sink + analysis::launch_statistics(one)->median;
                                         }
                                       },
                                       prepared_launches, batch);
  const analysis::ScreenSettings settings{.prior_sigma = noise_of_launch};
  cost.judge_microseconds =
      1e6 * seconds_of([&] { judge_all(statistics, settings); }, prepared_launches, batch);

  analysis::Screen screen(settings);
  for (const auto& one : statistics) {
    if (!screen.outcome()) screen.advance(one);
  }
  cost.verdict_milliseconds =
      1e3 * seconds_of([&] { sink = sink + screen.verdict().ratio.estimate; }, 1, batch);

  // Between half of the bar and the bar every look but the last leaves it open.
  const analysis::ConfirmationPlan plan;
  std::vector<double> units;
  for (const std::size_t look : analysis::confirmation_looks) {
    while (units.size() < look) units.push_back(plan.minimum_effect * (0.8 + 0.1 * noise.normal()));
    const double seconds =
        seconds_of([&] { sink = sink + analysis::confirm(units, plan).p_value; }, 1, batch);
    cost.confirmation.push_back({look, 1e3 * seconds});
  }
  return cost;
}

}  // namespace tandem::evaluation
