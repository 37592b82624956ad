// What each part of the method buys: the same recorded launches, judged with that part taken out.
#include "evaluation/evidence/ablations/ablations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/replay/replay.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

constexpr const char* none = "–";

/// The recording by which the design argues for the coin.
constexpr const char* biased = "stream64mb.alternate";

std::string cell(const std::optional<Proportion>& proportion) {
  return proportion ? text_of(*proportion) : none;
}

const char* name_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::recorded:
      return "as recorded";
    case LaunchKind::quiet:
      return "quiet";
    case LaunchKind::quiet_layouts:
      return "quiet, ω = 0.5 %";
  }
  return none;
}

Table summary(const Ablations& found) {
  Table table{
      "With one part taken out",
      {"launches", "method", "false suspects", "false records", "found", "launches, median", "the part buys"},
      {}};
  for (const Ablation& row : found.rows) {
    table.rows.push_back({name_of(row.kind), row.name, cell(row.suspects), cell(row.records),
                          row.found ? percent(row.found->share()) : none, fmt::format("{:.0f}", row.launches),
                          row.buys});
  }
  table.below = fmt::format(
      "*Found*: of 2 % more time. *Launches*: of equal builds; of what was found, where there are layouts "
      "or rare slices. *Quiet*: all log-ratios of the sound recordings multiplied so that σ = {:g} δ; with "
      "ω, each layout of a build has a time of its own. The t-tests look once, know no margin and have no "
      "second look; slices are pooled by the moments that are kept of each launch.",
      quiet_sigma);
  return table;
}

Table recording_table(const Ablations& found) {
  Table table{"False suspects by recording",
              {"launches of", "as built", "no coin", "slices as unit", "launches as unit"},
              {}};
  for (const RecordingAblation& row : found.recordings) {
    table.rows.push_back({row.name, text_of(row.built), text_of(row.no_coin), percent(row.slices.share()),
                          percent(row.launches.share())});
  }
  table.below = "The last two are t-tests at 1 %: 1 % of false alarms is what they promise.";
  return table;
}

Table layout_table(const Ablations& found) {
  Table table{"Equal builds in simulated layouts",
              {"ω", "δ", "layouts", "false suspects", "δ called unchanged", "records, same layouts",
               "records, fresh layouts"},
              {}};
  for (const LayoutAblation& row : found.layouts) {
    table.rows.push_back({fmt::format("{:g} %", 100 * row.spread), fmt::format("{:.0f} %", 100 * row.margin),
                          std::to_string(row.count), cell(row.suspects), percent(row.missed.share()),
                          cell(row.same), cell(row.fresh)});
  }
  table.below =
      "Each layout of a build has a time of its own, normal with the deviation ω; every launch draws one of "
      "each side. δ is at least 2ω where calibration knows ω; rows with a smaller δ show the screen alone.";
  return table;
}

Table confirmation_table(const Ablations& found) {
  Table table{
      "2 δ not confirmed where σ = δ, by what is tested",
      {"launches of", "half of the recordings", "statistic", "sums of units", "ranks of units (as built)"},
      {}};
  for (const ConfirmationAblation& row : found.confirmations) {
    table.rows.push_back(
        {row.launched == ConfirmationAblation::Launched::slices ? "slices" : "whole processes",
         row.half == ConfirmationAblation::Half::tuning ? "first, for tuning" : "second, judged",
         row.statistic == analysis::Statistic::median ? "median" : "total", text_of(row.sums),
         text_of(row.ranks)});
  }
  table.below =
      "Both flip signs, so both are exact. Units are those of the sound recordings, multiplied so that the "
      "larger one of medians and totals scatters by δ. A sum follows the few units that lie far out; of "
      "whole processes many do.";
  return table;
}

Plot alarm_plot(const Ablations& found) {
  Plot plot;
  plot.name = "ablations-false-alarms";
  plot.title = "False suspects with one part taken out";
  plot.x_label = "method";
  plot.y_label = "share of equal builds, %";
  plot.kind = Plot::Kind::bars;
  plot.y_scale = Plot::Scale::logarithmic;
  plot.lines = {{100 * false_suspects_goal, "at most " + percent(false_suspects_goal)}};
  Series series{"false suspects", {}};
  const auto add = [&](const std::string& place, const Proportion& share) {
    const auto x = static_cast<double>(plot.places.size());
    plot.places.push_back(place);
    series.points.push_back({x, 100 * share.share(), 100 * share.low, 100 * share.high});
  };
  for (const Ablation& row : found.rows) {
    // The rows between have the same suspects as the ones before them.
    const bool repeated = row.name == "no confirmation" || row.name.ends_with("to confirm");
    if (!row.suspects || (repeated && !row.name.starts_with("as built"))) continue;
    const std::string of = row.kind == LaunchKind::recorded ? "" : fmt::format(" ({})", name_of(row.kind));
    add(row.name.substr(0, row.name.find_first_of(":,")) + of, *row.suspects);
  }
  plot.series = {std::move(series)};
  return plot;
}

std::vector<Goal> coin_goals(const Ablations& found) {
  const auto row = std::find_if(found.recordings.begin(), found.recordings.end(),
                                [](const RecordingAblation& one) { return one.name == biased; });
  if (row == found.recordings.end()) return {};
  Goal goal{"design 4", fmt::format("false suspects of {} with the coin", biased),
            "at most " + percent(false_suspects_goal) + "; 58 % without it",
            text_of(row->built) + "; without it " + text_of(row->no_coin),
            at_most(row->built, false_suspects_goal)};
  if (goal.met == Goal::Met::unknown) goal.why = "too few trials to tell";
  return {std::move(goal)};
}

std::map<std::string, double> figures_of(const Ablations& found) {
  std::map<std::string, double> figures;
  for (const Ablation& row : found.rows) {
    const std::string key = fmt::format("{}, {}: ", name_of(row.kind), row.name);
    if (row.suspects) figures[key + "false suspects"] = row.suspects->share();
    if (row.records) figures[key + "false records"] = row.records->share();
    if (row.found) figures[key + "found"] = row.found->share();
  }
  return figures;
}

}  // namespace

PartResult ablations(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Ablations found = ablation_trials(settings);
  PartResult result;
  result.part = "ablations";
  result.title = "What each part of the method buys";
  result.says =
      "The recorded launches of the part `replay`, their second halves, judged as built and with one part "
      "of the method taken out at a time. Screen and confirmation are the daemon's own code; what is taken "
      "out is taken out of what they are given. Like the replay it tests the method, not the machine; "
      "layouts are simulated.";
  result.goals = coin_goals(found);
  result.tables = {summary(found), recording_table(found), layout_table(found), confirmation_table(found)};
  result.plots = {alarm_plot(found)};
  result.figures = figures_of(found);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tandem::evaluation
