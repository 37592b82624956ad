#include "evaluation/evidence/culprit/culprit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "analysis/confirmation.hpp"
#include "analysis/statistics.hpp"

namespace tandem::evaluation {
namespace {

constexpr double margin = 0.01;
constexpr double broken_share = 0.1;

constexpr double minimum_effect = 0.005;
constexpr std::size_t confirmation_units = 16;

/// Nearest to the middle of those between good and bad that build; `good` counts from one before the first.
std::optional<std::size_t> middle(const History& history, std::size_t after_good, std::size_t bad) {
  const std::size_t centre = after_good + (bad - after_good) / 2;
  for (std::size_t distance = 0; distance < bad - after_good; ++distance) {
    const bool above = centre + distance < bad && !history.broken[centre + distance];
    if (above) return centre + distance;
    const bool below = centre >= after_good + distance && !history.broken[centre - distance];
    if (below) return centre - distance;
  }
  return std::nullopt;
}

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

const char* name_of(LayoutSpread spread) {
  return spread == LayoutSpread::none ? "none" : spread == LayoutSpread::fresh ? "fresh" : "fixed";
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

analysis::CulpritSearchSettings known_from_confirmation(const History& history, analysis::Noise& noise) {
  const double whole =
      history.steps == Steps::none ? history.effect : history.level(history.broken.size() - 1);
  std::vector<double> units(confirmation_units);
  for (double& value : units) value = measure_anew(history, whole, noise);
  analysis::CulpritSearchSettings known;
  known.effect = *analysis::hodges_lehmann(units);
  known.smallest_effect = std::min(std::log1p(minimum_effect), std::abs(known.effect));
  known.sigma = std::max(*analysis::robust_deviation(units), known.smallest_effect / 10);
  return known;
}

Finding search(const History& history, const analysis::CulpritSearchSettings& known, analysis::Noise& noise) {
  analysis::CulpritSearch search(known, std::vector<double>(history.broken.size(), 1.0));
  while (const auto candidate = search.next()) {
    if (history.broken[*candidate]) {
      search.broken(*candidate);
    } else {
      search.measured(*candidate, measure(history, *candidate, noise));
    }
  }
  const analysis::CulpritAnswer answer = search.answer();
  Finding finding;
  finding.measurements = answer.measurements;
  finding.culprit = answer.culprit;
  finding.co_suspects = answer.co_suspects;
  if (answer.kind == analysis::CulpritAnswer::Kind::culprit) finding.said = Finding::Said::culprit;
  if (answer.kind == analysis::CulpritAnswer::Kind::no_culprit) finding.said = Finding::Said::no_culprit;
  return finding;
}

bool is_confirmed(const History& history, const Finding& finding, analysis::Noise& noise) {
  const std::size_t first = finding.co_suspects.empty() ? finding.culprit : finding.co_suspects.front();
  const double before = first == 0 ? 0 : history.level(first - 1);
  const double difference = history.level(finding.culprit) - before;
  analysis::ConfirmationPlan plan;
  plan.suspected = history.effect > 0 ? analysis::Direction::slower : analysis::Direction::faster;
  plan.minimum_effect = minimum_effect;
  std::vector<double> units;
  analysis::ConfirmationResult result;
  do {
    const std::size_t wanted = units.empty() ? analysis::confirmation_looks.front() : result.next_look;
    while (units.size() < wanted) units.push_back(measure_anew(history, difference, noise));
    result = analysis::confirm(units, plan);
  } while (result.outcome == analysis::ConfirmationOutcome::undecided_more);
  return result.outcome == analysis::ConfirmationOutcome::confirmed;
}

Finding bisect(const History& history, double known_effect, std::size_t repeats, analysis::Noise& noise) {
  Finding finding;
  finding.said = Finding::Said::culprit;
  std::size_t after_good = 0;
  std::size_t bad = history.broken.size() - 1;
  while (const auto next = middle(history, after_good, bad)) {
    std::vector<double> values(repeats);
    for (double& value : values) value = measure(history, *next, noise);
    finding.measurements += repeats;
    if (*analysis::median(values) / known_effect > 0.5) {
      bad = *next;
    } else {
      after_good = *next + 1;
    }
  }
  finding.culprit = bad;
  for (std::size_t commit = after_good; commit < bad; ++commit) finding.co_suspects.push_back(commit);
  return finding;
}

Judged judge_named(std::size_t named, const std::vector<std::size_t>& others, std::size_t culprit) {
  if (named == culprit) return others.empty() ? Judged::exact : Judged::among;
  return std::find(others.begin(), others.end(), culprit) != others.end() ? Judged::among : Judged::wrong;
}

Judged judge(const History& history, const Finding& finding) {
  if (finding.said == Finding::Said::undecided) return Judged::undecided;
  if (history.steps == Steps::none) {
    return finding.said == Finding::Said::no_culprit ? Judged::exact : Judged::wrong;
  }
  if (finding.said == Finding::Said::no_culprit) return Judged::not_named;
  return judge_named(finding.culprit, finding.co_suspects, history.first);
}

void Tally::add(Judged judged, std::size_t made) {
  ++all;
  ++counts.at(static_cast<std::size_t>(judged));
  measurements.push_back(static_cast<double>(made));
}

void Tally::add(const Tally& other) {
  all += other.all;
  for (std::size_t i = 0; i < counts.size(); ++i) counts.at(i) += other.counts.at(i);
  measurements.insert(measurements.end(), other.measurements.begin(), other.measurements.end());
}

std::string name_of(const Rule& rule) {
  if (rule.kind == Rule::Kind::tandem) return "Tandem";
  return rule.repeats == 1 ? "bisection" : fmt::format("bisection, median of {}", rule.repeats);
}

Tally simulate(const HistoryPlan& plan, const Rule& rule, std::size_t histories, std::uint64_t seed) {
  Tally tally;
  tandem::Random seeds(seed);
  for (std::size_t round = 0; round < histories; ++round) {
    analysis::Noise noise(seeds.next());
    const History history = draw(plan, noise);
    const auto known = known_from_confirmation(history, noise);
    if (rule.kind == Rule::Kind::bisection) {
      const Finding finding = bisect(history, known.effect, rule.repeats, noise);
      tally.add(judge(history, finding), finding.measurements);
      continue;
    }
    const Finding finding = search(history, known, noise);
    Judged judged = judge(history, finding);
    if (finding.said == Finding::Said::culprit && !is_confirmed(history, finding, noise)) {
      judged = judged == Judged::wrong ? Judged::withdrawn : Judged::not_named;
    }
    tally.add(judged, finding.measurements);
  }
  return tally;
}

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
