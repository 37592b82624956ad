#include "evaluation/evidence/culprit/cells.hpp"

namespace tandem::evaluation {
namespace {

struct Share {
  Steps steps;
  std::size_t full;
  std::size_t brief;
};
constexpr Share shares[] = {{Steps::one, 400, 10}, {Steps::none, 320, 8}, {Steps::two, 80, 2}};
constexpr LayoutSpread spreads[] = {LayoutSpread::none, LayoutSpread::fresh, LayoutSpread::fixed};

std::vector<HistoryPlan> plans(PartSettings::Length length) {
  std::vector<HistoryPlan> all;
  for (const LayoutSpread spread : spreads) {
    for (const std::size_t commits : lengths_of(length)) {
      for (const double size : effect_sizes()) {
        for (const Share& share : shares) all.push_back({commits, size, spread, share.steps});
      }
    }
  }
  return all;
}

std::size_t histories_of(Steps steps, PartSettings::Length length) {
  for (const Share& share : shares) {
    if (share.steps == steps) return length == PartSettings::Length::full ? share.full : share.brief;
  }
  return 0;
}

}  // namespace

std::vector<std::size_t> lengths_of(PartSettings::Length length) {
  if (length == PartSettings::Length::brief) return {8, 32};
  return {8, 32, 128};
}

const std::vector<double>& effect_sizes() {
  static const std::vector<double> sizes = {1, 2, 4};
  return sizes;
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {{}, {Rule::Kind::bisection, 1}, {Rule::Kind::bisection, 3}};
  return all;
}

std::vector<Cell> simulate_cells(const PartSettings& settings) {
  std::vector<Cell> cells;
  const auto all = plans(settings.length);
  tandem::Random seeds(settings.seed);
  for (std::size_t at = 0; at < all.size(); ++at) {
    settings.show("simulated histories", at, all.size());
    // The same culprits and broken commits, however layouts behave.
    if (at > 0 && all[at].layouts != all[at - 1].layouts) seeds = tandem::Random(settings.seed);
    const std::uint64_t seed = seeds.next();
    for (const Rule& rule : rules()) {
      cells.push_back(
          {all[at], rule, simulate(all[at], rule, histories_of(all[at].steps, settings.length), seed)});
    }
  }
  return cells;
}

}  // namespace tandem::evaluation
