#include "evaluation/evidence/recorded/trial.hpp"

#include "analysis/statistics.hpp"

namespace tandem::evaluation {

using analysis::ConfirmationOutcome;
using analysis::Direction;
using analysis::Outcome;
using analysis::Statistic;

Screened screen_once(const analysis::ScreenSettings& settings, const NextLaunch& next) {
  analysis::Screen screen(settings);
  while (!screen.outcome()) screen.advance(next().statistics);
  Screened ended{*screen.outcome(), screen.history().launches.size(), Statistic::median};
  if (ended.is_suspect() && screen.verdict().decided_by_total) ended.by = Statistic::total;
  return ended;
}

analysis::ConfirmationResult confirm_once(const analysis::ConfirmationPlan& plan, Statistic statistic,
                                          const NextUnit& next, analysis::PValueOf test) {
  std::vector<double> units;
  analysis::ConfirmationResult result = analysis::confirm(units, plan, test);
  while (result.next_look > 0) {
    while (units.size() < result.next_look) {
      const Unit unit = next();
      units.push_back(*analysis::unit_value(unit[0].statistics, unit[1].statistics, statistic));
    }
    result = analysis::confirm(units, plan, test);
  }
  return result;
}

analysis::ConfirmationPlan plan_for(const Screened& suspect, double margin) {
  return {suspect.outcome == Outcome::slower ? Direction::slower : Direction::faster,
          analysis::minimum_effect(margin)};
}

double launches_at(const std::vector<std::size_t>& launches, double share) {
  return analysis::quantile(std::vector<double>(launches.begin(), launches.end()), share).value_or(0);
}

void TrialTally::add(const Screened& screened) {
  launches.push_back(screened.launches);
  switch (screened.outcome) {
    case Outcome::slower:
      ++slower;
      break;
    case Outcome::faster:
      ++faster;
      break;
    case Outcome::unchanged:
      ++unchanged;
      break;
    default:
      ++inconclusive;
  }
}

void TrialTally::add(const TrialTally& other) {
  slower += other.slower;
  faster += other.faster;
  unchanged += other.unchanged;
  inconclusive += other.inconclusive;
  recorded_slower += other.recorded_slower;
  recorded_faster += other.recorded_faster;
  launches.insert(launches.end(), other.launches.begin(), other.launches.end());
}

TrialTally run_trials(std::size_t count, const analysis::ScreenSettings& settings,
                      const TrialSource& source) {
  TrialTally tally;
  for (std::size_t i = 0; i < count; ++i) {
    const Screened screened = screen_once(settings, source.launches());
    tally.add(screened);
    if (!screened.is_suspect() || !source.units) continue;
    const auto plan = plan_for(screened, settings.margin);
    if (confirm_once(plan, screened.by, source.units()).outcome != ConfirmationOutcome::confirmed) continue;
    ++(screened.outcome == Outcome::slower ? tally.recorded_slower : tally.recorded_faster);
  }
  return tally;
}

}  // namespace tandem::evaluation
