// Recorded launches of equal builds, drawn again and again: the code and the rule, not the machine.
#include "evaluation/evidence/replay/replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

constexpr double power_goal = 0.95;
constexpr double large_power_goal = 0.999;
constexpr double missed_goal = 0.01;
constexpr double launches_goal = 10;
constexpr double about = 1.5;  // how far from a rule of thumb is still about it

/// The planted trials in which the noise and the size are as asked.
template <class Asked>
TrialTally planted_where(const Replayed& replayed, Asked asked) {
  TrialTally sum;
  for (const ReplayedNoise& noise : replayed.noises) {
    for (const auto& [size, tally] : noise.planted) {
      if (asked(noise.relative_sigma, size)) sum.add(tally);
    }
  }
  return sum;
}

Goal share_goal(std::string source, std::string what, std::string target, const Proportion& measured,
                Goal::Met met) {
  Goal goal{std::move(source), std::move(what), std::move(target), text_of(measured), met};
  if (met == Goal::Met::unknown) goal.why = "too few trials to tell";
  return goal;
}

/// Launches until `unchanged` over the rule of thumb, for all noises up to δ, and the factor in the place of
/// 11 that would fit.
struct RuleFit {
  double lowest = 1e9;
  double highest = 0;
  double factor = 0;
};

RuleFit fit_of(const Replayed& replayed, TrialTally ReplayedNoise::*null) {
  RuleFit fit;
  double squares = 0;
  double products = 0;
  for (const ReplayedNoise& noise : replayed.noises) {
    if (noise.relative_sigma > 1) continue;  // there most screens end at the cap
    const double needed = (noise.*null).median_launches();
    const double ratio = needed / launches_by_rule(noise.relative_sigma);
    fit.lowest = std::min(fit.lowest, ratio);
    fit.highest = std::max(fit.highest, ratio);
    const double square = noise.relative_sigma * noise.relative_sigma;
    squares += square * square;
    products += square * (needed - launches_by_rule(0));
  }
  fit.factor = products / squares;
  return fit;
}

Goal launches_until_unchanged(const Replayed& replayed) {
  const auto noise = std::find_if(replayed.noises.begin(), replayed.noises.end(),
                                  [](const ReplayedNoise& one) { return one.relative_sigma == 0.5; });
  const double needed = noise->null.median_launches();
  Goal goal{"stats 7", "median launches until `unchanged`, σ = 0.5 δ, replayed",
            fmt::format("at most {:.0f}", launches_goal), fmt::format("{:.0f}", needed),
            met(needed <= launches_goal)};
  if (goal.met == Goal::Met::no) {
    goal.why = fmt::format(
        "`unchanged` waits for medians and totals, and the totals scatter more; where the larger of the two "
        "is 0.5 δ it takes {:.0f}",
        noise->null_larger.median_launches());
  }
  return goal;
}

Goal rule_of_launches(const Replayed& replayed) {
  const RuleFit fit = fit_of(replayed, &ReplayedNoise::null);
  Goal goal{"design 5", "median launches until `unchanged`, σ from 0.2 to 1 δ, replayed",
            fmt::format("about 6 + 11(σ/δ)²: at most {:g} times as many", about),
            fmt::format("{:.2f} to {:.2f} times as many", fit.lowest, fit.highest),
            met(fit.highest <= about)};
  if (goal.met == Goal::Met::no) {
    const RuleFit larger = fit_of(replayed, &ReplayedNoise::null_larger);
    goal.why = fmt::format(
        "the rule speaks of one statistic; with σ the larger one of medians and totals it is {:.2f} to "
        "{:.2f} times, and 6 + {:.0f}(σ/δ)² would fit",
        larger.lowest, larger.highest, larger.factor);
  }
  return goal;
}

Proportion not_recorded(const TrialTally& tally) {
  return proportion(tally.trials() - tally.recorded_slower, tally.trials());
}

/// A change of 2 δ where σ = δ has to be found and confirmed.
Goal records_goal(const Replayed& replayed, const TrialTally& two) {
  const Proportion missed = not_recorded(two);
  Goal goal = share_goal("stats 7", "not recorded at 2 δ where σ = δ, replayed",
                         "at most " + percent(missed_goal), missed, at_most(missed, missed_goal));
  if (goal.met == Goal::Met::yes) return goal;
  std::vector<std::string> pairings;
  for (const ReplayedNoise& noise : replayed.noises) {
    if (noise.relative_sigma != 1) continue;
    for (const auto& [name, tally] : noise.twice_the_margin) {
      pairings.push_back(fmt::format("`{}` {}, where {} of the launches lie beyond 5 σ", name,
                                     text_of(not_recorded(tally)), percent(noise.far_out.at(name).share())));
    }
  }
  goal.why = fmt::format(
      "by pairing: {}. σ, a robust one, does not show these; why so many launches of a duet are far out has "
      "not "
      "been tried",
      fmt::join(pairings, "; "));
  return goal;
}

std::vector<Goal> replay_goals(const Replayed& replayed) {
  const ReplayedRecording& sum = replayed.sum;
  const Proportion suspects = sum.null.suspected();
  const Proportion records = sum.null.recorded();
  const TrialTally two = planted_where(replayed, [](double s, double e) { return s == 1 && e == 0.02; });
  const TrialTally one = planted_where(replayed, [](double s, double e) { return s == 0.4 && e == 0.01; });
  const TrialTally five = planted_where(replayed, [](double s, double e) { return s <= 1 && e == 0.05; });
  const Proportion power_two = two.found();
  const Proportion power_one = one.found();
  const Proportion power_five = five.found();
  return {
      share_goal("stats 7", "false suspects of equal builds, replayed",
                 "at most " + percent(false_suspects_goal), suspects, at_most(suspects, false_suspects_goal)),
      share_goal("design 11, stats 7", "false records of equal builds, replayed",
                 "at most " + percent(false_records_goal), records, at_most(records, false_records_goal)),
      share_goal("design 5", "found at 2 δ where σ = δ, replayed", "at least " + percent(power_goal),
                 power_two, at_least(power_two, power_goal)),
      share_goal("design 5", "found at δ where σ = 0.4 δ, replayed", "at least " + percent(power_goal),
                 power_one, at_least(power_one, power_goal)),
      share_goal("stats 7", "found at 5 δ where σ ≤ δ, replayed", "at least " + percent(large_power_goal),
                 power_five, at_least(power_five, large_power_goal)),
      records_goal(replayed, two),
      launches_until_unchanged(replayed),
      rule_of_launches(replayed)};
}

std::map<std::string, double> figures_of(const Replayed& replayed) {
  const ReplayedRecording& sum = replayed.sum;
  std::map<std::string, double> figures = {{"screens", static_cast<double>(sum.null.trials())},
                                           {"false suspects", static_cast<double>(sum.null.suspects())},
                                           {"false records", static_cast<double>(sum.null.records())},
                                           {"confirmations unasked", static_cast<double>(sum.confirmations)},
                                           {"confirmed unasked", static_cast<double>(sum.confirmed)}};
  for (const ReplayedRecording& one : replayed.recordings) {
    figures[one.name + " sigma/delta"] = one.relative_sigma();
    for (const auto& [size, tally] : one.planted) {
      const std::string key = fmt::format("{} {:g} % ", one.name, 100 * size);
      figures[key + "found"] = tally.found().share();
      figures[key + "wrong"] = static_cast<double>(tally.faster);
      figures[key + "unchanged"] = tally.of_all(tally.unchanged).share();
      figures[key + "median launches"] = tally.median_launches();
    }
  }
  return figures;
}

}  // namespace

PartResult replay(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Replayed replayed = replay_trials(settings);
  PartResult result;
  result.part = "replay";
  result.title = "Recorded launches, replayed";
  result.says = fmt::format(
      "Launches of one executable next to itself, recorded earlier, are drawn again in blocks of successive "
      "launches and each one's sides are exchanged by a fresh coin, as the runner would have done. They go "
      "through the screen and the confirmation that the daemon uses, with its settings (δ = 1 %, 66 "
      "launches at most). The first half of each recording gives the expected noise, as calibration does; "
      "the second half alone is judged. **This tests the code and the rule, not the machine**: effects are "
      "multiplied into the times, the coin is drawn afresh, and {} recordings cannot hold every mood of a "
      "host. What the machine does is shown by the parts `live` and `power`.",
      replayed.recordings.size());
  result.goals = replay_goals(replayed);
  result.tables = replay_tables(replayed);
  result.plots = replay_plots(replayed);
  result.figures = figures_of(replayed);
  for (const ReplayedRecording& one : replayed.recordings) {
    if (!one.refused.empty()) result.notes.push_back(fmt::format("{}: {}.", one.name, one.refused));
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tandem::evaluation
