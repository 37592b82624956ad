#include "evaluation/evidence/recorded/trial.hpp"

#include <fmt/format.h>

#include <utility>

#include "analysis/statistics.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using analysis::ConfirmationOutcome;
using analysis::Direction;
using analysis::Outcome;
using analysis::Statistic;

LaunchRow planted(const Plant& plant, const LaunchRow& row) {
  return plant ? plant(row) : row;
}

tandem::Random random_for(const std::string& what, std::uint64_t seed) {
  return tandem::Random(tandem::seed_of(fmt::format("{} {}", what, seed)));
}

}  // namespace

Resampling::Resampling(std::span<const LaunchRow> launches, std::size_t block, tandem::Random& random)
    : launches_(launches), block_(block), random_(&random) {
  if (launches.empty() || block == 0) throw Error("there are no launches to draw from");
}

const LaunchRow& Resampling::next() {
  if (left_ == 0) {
    left_ = block_;
    position_ = random_->below(launches_.size());
  }
  --left_;
  return launches_[position_++ % launches_.size()];
}

NextLaunch launches_of(Resampling from, Coin coin, Plant plant) {
  return [from, coin, plant = std::move(plant)]() mutable {
    const LaunchRow& row = from.next();
    const bool exchange = coin == Coin::fresh && from.random().coin();
    return planted(plant, exchange ? exchanged(row) : row);
  };
}

NextUnit units_of(Resampling from, Coin coin, Plant plant) {
  return [from, coin, plant = std::move(plant)]() mutable -> Unit {
    Unit unit = {from.next(), from.next()};
    if (coin == Coin::fresh) {
      LaunchRow& turned = from.random().coin() ? unit[0] : unit[1];
      turned = exchanged(turned);
    }
    return {planted(plant, unit[0]), planted(plant, unit[1])};
  };
}

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

double TrialTally::launches_at(double share) const {
  return analysis::quantile(std::vector<double>(launches.begin(), launches.end()), share).value_or(0);
}

void TrialTally::add(const Screened& screened) {
  launches.push_back(screened.launches);
  ++(screened.outcome == Outcome::slower      ? slower
     : screened.outcome == Outcome::faster    ? faster
     : screened.outcome == Outcome::unchanged ? unchanged
                                              : inconclusive);
}

void TrialTally::add(const TrialTally& other) {
  for (const auto count :
       {&TrialTally::slower, &TrialTally::faster, &TrialTally::unchanged, &TrialTally::inconclusive,
        &TrialTally::recorded_slower, &TrialTally::recorded_faster}) {
    this->*count += other.*count;
  }
  launches.insert(launches.end(), other.launches.begin(), other.launches.end());
}

TrialTally TrialTally::turned() const {
  TrialTally other = *this;
  std::swap(other.slower, other.faster);
  std::swap(other.recorded_slower, other.recorded_faster);
  return other;
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
  const Recording recording{"", {launches.begin(), launches.end()}};
  const Resampling from(recording.judged(), recording.block(), random);
  const TrialSource source{[&] { return launches_of(from, Coin::none); }, {}};
  return run_trials(count, screen_settings(noise_about_centre(recording.tuning())), source);
}

TrialTally both_directions(const Recording& recording, double size, std::size_t count, Confirming confirming,
                           std::uint64_t seed) {
  TrialTally both = planted_trials(recording, size, count, confirming, seed);
  both.add(planted_trials(recording, 1 / (1 + size) - 1, count, confirming, seed).turned());
  return both;
}

}  // namespace tandem::evaluation
