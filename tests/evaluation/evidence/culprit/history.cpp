#include "evaluation/evidence/culprit/history.hpp"

#include <cmath>
#include <utility>

namespace tandem::evaluation {
namespace {

constexpr double margin = 0.01;
constexpr double broken_share = 0.1;

}  // namespace

const char* name_of(LayoutSpread spread) {
  switch (spread) {
    case LayoutSpread::none:
      return "none";
    case LayoutSpread::fresh:
      return "fresh";
    case LayoutSpread::fixed:
      return "fixed";
  }
  return "none";
}

double History::level(std::size_t commit) const {
  if (steps == Steps::none) return 0;
  double level = commit >= first ? effect : 0;
  if (steps == Steps::two && commit >= second) level += effect;
  return level;
}

History draw(const HistoryPlan& plan, analysis::Noise& noise) {
  History history;
  history.effect = noise.coin() * std::log1p(margin * (1 + 2 * noise.uniform()));
  history.sigma = std::abs(history.effect) / plan.effect_sigmas;
  history.layouts = plan.layouts;
  history.layout_spread = plan.layouts == LayoutSpread::none ? 0 : std::abs(history.effect) / 4;
  history.steps = plan.steps;
  history.first = noise.below(plan.commits);
  if (plan.steps == Steps::two) {
    history.first = noise.below(plan.commits - 1);
    history.second = history.first + 1 + noise.below(plan.commits - 1 - history.first);
  }
  for (std::size_t commit = 0; commit < plan.commits; ++commit) {
    history.broken.push_back(commit + 1 < plan.commits && noise.uniform() < broken_share);
    history.own.push_back(history.layout_spread * noise.normal());
  }
  history.own_of_good = history.layout_spread * noise.normal();
  return history;
}

double measure_anew(const History& history, double difference, analysis::Noise& noise) {
  const double layouts = history.layout_spread * (noise.normal() - noise.normal());
  return difference + layouts + history.sigma * noise.normal();
}

double measure(const History& history, std::size_t commit, analysis::Noise& noise) {
  if (history.layouts != LayoutSpread::fixed) return measure_anew(history, history.level(commit), noise);
  const double layouts = history.own[commit] - history.own_of_good;
  return history.level(commit) + layouts + history.sigma * noise.normal();
}

}  // namespace tandem::evaluation
