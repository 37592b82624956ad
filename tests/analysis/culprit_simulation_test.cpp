#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "analysis/culprit_search.hpp"
#include "analysis/statistics.hpp"
#include "tests/analysis/simulation.hpp"

// Seeded histories with one culprit or none, one in ten commits broken, driven as a pipeline drives them.

namespace tandem::analysis {
namespace {

constexpr double margin = 0.01;
constexpr std::size_t histories = 200;
constexpr std::size_t confirmation_units = 16;

struct History {
  std::vector<bool> broken;
  std::size_t culprit = no_candidate;
  double effect = 0;
  double launch_sigma = 0;
  double layout_spread = 0;

  [[nodiscard]] double level(std::size_t commit) const { return commit >= culprit ? effect : 0.0; }
};

/// Half of the variance of a unit comes from its two launches, half from the layouts of its two sides.
History history(Noise& noise, std::size_t count, double effect, double deviation) {
  History one;
  for (std::size_t commit = 0; commit < count; ++commit) {
    one.broken.push_back(commit + 1 < count && noise.uniform() < 0.1);
  }
  one.culprit = noise.below(count);
  one.effect = effect;
  one.launch_sigma = deviation;
  one.layout_spread = deviation / 2;
  return one;
}

/// Two launches in opposite slots that share one relinking of both sides.
double unit(Noise& noise, const History& history, double level) {
  const double layouts = history.layout_spread * (noise.normal() - noise.normal());
  const double launches = history.launch_sigma * (noise.normal() + noise.normal()) / 2;
  return level + layouts + launches;
}

/// Estimated as a pipeline does, from the units of the confirmation.
CulpritSearchSettings settings_from_confirmation(Noise& noise, const History& history) {
  std::vector<double> units(confirmation_units);
  for (double& value : units) value = unit(noise, history, history.effect);
  const double mean = std::accumulate(units.begin(), units.end(), 0.0) / confirmation_units;
  double squares = 0;
  for (const double value : units) squares += (value - mean) * (value - mean);
  return {.effect = mean,
          .sigma = std::sqrt(squares / (confirmation_units - 1)),
          .smallest_effect = std::log1p(margin / 2)};
}

CulpritAnswer drive(Noise& noise, const History& history, const CulpritSearchSettings& settings) {
  CulpritSearch search(settings, std::vector<double>(history.broken.size(), 1.0));
  while (const auto candidate = search.next()) {
    if (history.broken[*candidate]) {
      search.broken(*candidate);
    } else {
      search.measured(*candidate, unit(noise, history, history.level(*candidate)));
    }
  }
  return search.answer();
}

bool names(const CulpritAnswer& answer, std::size_t culprit) {
  if (answer.kind != CulpritAnswer::Kind::culprit) return false;
  const auto& others = answer.co_suspects;
  return answer.culprit == culprit || std::find(others.begin(), others.end(), culprit) != others.end();
}

struct Figures {
  std::size_t searches = 0;
  std::size_t right = 0;
  std::vector<double> measurements;

  void add(const CulpritAnswer& answer, bool is_right) {
    ++searches;
    right += is_right ? 1 : 0;
    measurements.push_back(static_cast<double>(answer.measurements));
  }
  [[nodiscard]] double share() const { return static_cast<double>(right) / static_cast<double>(searches); }
  void print(const char* what, std::size_t count, std::chrono::duration<double, std::micro> time) const {
    const double sum = std::accumulate(measurements.begin(), measurements.end(), 0.0);
    std::printf("%s among %zu: right %.1f %%, measurements %.1f, nine in ten at most %.0f, %.0f us each\n",
                what, count, 100 * share(), sum / static_cast<double>(searches), *quantile(measurements, 0.9),
                time.count() / sum);
  }
};

/// The effect over the deviation of one measurement, in turns.
double ratio_of(std::size_t round) {
  return std::array{1.0, 2.0, 4.0}[round % 3];
}

/// One margin to three.
double some_effect(Noise& noise) {
  return std::log1p(margin * (1 + 2 * noise.uniform()));
}

TEST(CulpritSimulation, NamesTheCulprit) {
  for (const std::size_t count : {8U, 32U, 128U}) {
    Noise noise(310 + count);
    Figures figures;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t round = 0; round < histories; ++round) {
      const double effect = noise.coin() * some_effect(noise);
      const History one = history(noise, count, effect, std::abs(effect) / ratio_of(round));
      const CulpritAnswer answer = drive(noise, one, settings_from_confirmation(noise, one));
      figures.add(answer, names(answer, one.culprit));
    }
    figures.print("culprit", count, std::chrono::steady_clock::now() - start);
    EXPECT_GE(figures.share(), 0.985) << count;
  }
}

TEST(CulpritSimulation, FindsNoCulpritWhereTheConfirmationWasAFluke) {
  for (const std::size_t count : {8U, 32U, 128U}) {
    Noise noise(320 + count);
    Figures figures;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t round = 0; round < histories; ++round) {
      const double effect = some_effect(noise);
      History one = history(noise, count, effect, effect / 4);
      const CulpritSearchSettings settings = settings_from_confirmation(noise, one);
      one.culprit = no_candidate;
      const CulpritAnswer answer = drive(noise, one, settings);
      figures.add(answer, answer.kind == CulpritAnswer::Kind::no_culprit);
    }
    figures.print("no culprit", count, std::chrono::steady_clock::now() - start);
    EXPECT_GE(figures.share(), 0.97) << count;
  }
}

TEST(CulpritSimulation, NamesTheFirstOfTwoEqualSteps) {
  Noise noise(330);
  std::size_t first = 0;
  for (std::size_t round = 0; round < histories; ++round) {
    const std::size_t early = noise.below(16);
    const std::size_t late = 16 + noise.below(16);
    CulpritSearch search({.effect = 0.06, .sigma = 0.02, .smallest_effect = 0.005},
                         std::vector<double>(32, 1.0));
    while (const auto candidate = search.next()) {
      const double level = *candidate >= late ? 0.06 : *candidate >= early ? 0.03 : 0.0;
      search.measured(*candidate, level + 0.02 * noise.normal());
    }
    if (names(search.answer(), early)) ++first;
  }
  EXPECT_GE(first, histories * 97 / 100);
}

}  // namespace
}  // namespace tandem::analysis
