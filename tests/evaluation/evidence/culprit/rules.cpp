#include "evaluation/evidence/culprit/rules.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "analysis/confirmation.hpp"
#include "analysis/statistics.hpp"

namespace tandem::evaluation {
namespace {

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

}  // namespace

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

}  // namespace tandem::evaluation
