#include <fmt/format.h>

#include <cmath>

#include "evaluation/evidence/replay/replay.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

std::string size_text(double size) {
  return fmt::format("{:g} %", 100 * size);
}

Table null_table(const Replayed& replayed) {
  Table table{"Equal builds, replayed",
              {"launches of", "judged, in blocks of", "σ/δ", "of totals", "false suspects", "of them records",
               "confirmed unasked", "calibration"},
              {}};
  for (const ReplayedRecording& one : replayed.recordings) {
    table.rows.push_back({one.name, fmt::format("{}, {}", one.judged, one.block),
                          fmt::format("{:.2f}", one.relative_sigma()),
                          fmt::format("{:.2f}", one.noise.sigma_total / std::log1p(replay_margin)),
                          text_of(one.null.suspected()), std::to_string(one.null.records()),
                          fmt::format("{} of {}", one.confirmed, one.confirmations),
                          one.refused.empty() ? "sound" : "refuses it"});
  }
  const ReplayedRecording& sum = replayed.sum;
  table.rows.push_back({"all", "", "", "", text_of(sum.null.suspected()), text_of(sum.null.recorded()),
                        text_of(proportion(sum.confirmed, sum.confirmations)), ""});
  table.below =
      "Intervals take the screens for independent; they share the launches of their recording, of which "
      "there are fewer than the 500 one would wish. *Confirmed unasked*: confirmations of equal builds that "
      "no screen has asked for, each direction and each statistic in turn; the level of that test is 0.01 "
      "%. Where calibration refuses to measure (one slot takes more than the other) the launches are judged "
      "all the same.";
  return table;
}

Table planted_table(const Replayed& replayed) {
  Table table{"Planted effects, replayed", {"launches of", "σ/δ"}, {}};
  for (const auto& [size, tally] : replayed.recordings.front().planted) {
    table.columns.push_back("±" + size_text(size));
  }
  for (const ReplayedRecording& one : replayed.recordings) {
    std::vector<std::string> row = {one.name, fmt::format("{:.2f}", one.relative_sigma())};
    for (const auto& [size, tally] : one.planted) {
      row.push_back(fmt::format("{} ({:.0f}, {:.0f})", percent(tally.found().share()),
                                tally.median_launches(), tally.launches_at(0.9)));
    }
    table.rows.push_back(std::move(row));
  }
  table.below = fmt::format(
      "Found in the right direction (launches: median, nine in ten), {} screens a cell, slower and faster "
      "half each.",
      replayed.recordings.front().planted.front().second.trials());
  return table;
}

/// How all the screens of a size ended, quiet and noisy recordings apart.
Table endings_table(const Replayed& replayed) {
  Table table{"How the screens of planted effects ended",
              {"planted", "noise", "found", "wrong direction", "unchanged", "inconclusive", "launches"},
              {}};
  const std::size_t sizes = replayed.recordings.front().planted.size();
  for (std::size_t i = 0; i < sizes; ++i) {
    for (const bool quiet : {true, false}) {
      TrialTally sum;
      for (const ReplayedRecording& one : replayed.recordings) {
        if (one.refused.empty() && (one.relative_sigma() <= 1) == quiet) sum.add(one.planted[i].second);
      }
      if (sum.trials() == 0) continue;
      table.rows.push_back(
          {"±" + size_text(replayed.recordings.front().planted[i].first), quiet ? "σ ≤ δ" : "σ > δ",
           text_of(sum.found()), fmt::format("{} of {}", sum.faster, sum.trials()),
           percent(sum.of_all(sum.unchanged).share()), percent(sum.of_all(sum.inconclusive).share()),
           fmt::format("{:.0f}, {:.0f}", sum.median_launches(), sum.launches_at(0.9))});
    }
  }
  table.below = "Without the recordings that calibration refuses. Launches: median, nine in ten.";
  return table;
}

Table power_table(const Replayed& replayed) {
  Table table{"Found by noise and size", {"σ/δ"}, {}};
  for (const auto& [size, tally] : replayed.noises.front().planted) table.columns.push_back(size_text(size));
  for (const ReplayedNoise& noise : replayed.noises) {
    std::vector<std::string> row = {fmt::format("{:g}", noise.relative_sigma)};
    for (const auto& [size, tally] : noise.planted) {
      row.push_back(fmt::format("{} ({}; {:.0f})", percent(tally.found().share()),
                                percent(tally.of_all(tally.recorded_slower).share()),
                                tally.median_launches()));
    }
    table.rows.push_back(std::move(row));
  }
  table.below = fmt::format(
      "Suspected by the screen in the right direction (and then confirmed; median launches), {} screens a "
      "cell. The log-ratios of the sound recordings are multiplied so that the medians of their launches "
      "scatter by so much; the totals, multiplied by the same number, scatter more. Left out are recordings "
      "of fewer than {} launches, and those whose totals scatter more than three times as much as their "
      "medians. What is smaller than δ/2 is no change to find.",
      replayed.noises.front().planted.front().second.trials(), fewest_to_scale);
  return table;
}

Table launches_table(const Replayed& replayed) {
  Table table{
      "Launches until `unchanged`", {"σ/δ", "6 + 11(σ/δ)²", "σ the larger one", "σ of the medians"}, {}};
  for (const ReplayedNoise& noise : replayed.noises) {
    const auto cell = [](const TrialTally& tally) {
      return fmt::format("{:.0f}, {:.0f} ({} unchanged)", tally.median_launches(), tally.launches_at(0.9),
                         percent(tally.of_all(tally.unchanged).share()));
    };
    table.rows.push_back({fmt::format("{:g}", noise.relative_sigma),
                          fmt::format("{:.1f}", launches_by_rule(noise.relative_sigma)),
                          cell(noise.null_larger), cell(noise.null)});
  }
  table.below =
      "Median, nine in ten. `unchanged` waits for medians and totals, so the larger of their two deviations "
      "counts. In the last column the medians scatter by so much and the totals by whatever they do then.";
  return table;
}

Table work_table(const Replayed& replayed) {
  Table table{"Real more work, replayed",
              {"launches of", "work", "judged", "found", "wrong direction", "unchanged", "launches"},
              {}};
  for (const ReplayedWork& work : replayed.work) {
    const TrialTally& tally = work.tally;
    table.rows.push_back(
        {work.origin.workload + "." + work.origin.pairing, fmt::format("{:+.2f} %", work.origin.percent),
         std::to_string(work.judged), text_of(tally.found()), std::to_string(tally.faster),
         percent(tally.of_all(tally.unchanged).share()), fmt::format("{:.0f}", tally.median_launches())});
  }
  table.below = "Launches of the part `power`, blocks of them drawn anew, their coins as they fell.";
  return table;
}

Point point(double x, const Proportion& found) {
  return {x, 100 * found.share(), 100 * found.low, 100 * found.high};
}

}  // namespace

std::vector<Table> replay_tables(const Replayed& replayed) {
  std::vector<Table> tables = {null_table(replayed), planted_table(replayed), endings_table(replayed),
                               power_table(replayed), launches_table(replayed)};
  if (!replayed.work.empty()) tables.push_back(work_table(replayed));
  return tables;
}

std::vector<Plot> replay_plots(const Replayed& replayed) {
  Plot alarms;
  alarms.name = "replay-false-alarms";
  alarms.title = "False alarms of equal builds, replayed";
  alarms.x_label = "launches of";
  alarms.y_label = "share of the screens, %";
  alarms.kind = Plot::Kind::bars;
  alarms.y_scale = Plot::Scale::logarithmic;
  alarms.series = {{"suspects", {}}, {"records", {}}};
  alarms.lines = {{100 * false_suspects_goal, "suspects: at most " + percent(false_suspects_goal)},
                  {100 * false_records_goal, "records: at most " + percent(false_records_goal)}};
  const auto add = [&](const std::string& name, const TrialTally& tally) {
    const auto x = static_cast<double>(alarms.places.size());
    alarms.places.push_back(name);
    alarms.series[0].points.push_back(point(x, tally.suspected()));
    alarms.series[1].points.push_back(point(x, tally.recorded()));
  };
  for (const ReplayedRecording& one : replayed.recordings) {
    add(one.name, one.null);
  }
  add("all", replayed.sum.null);

  Plot curves;
  curves.name = "replay-power";
  curves.title = "Planted effects that the screen finds, by noise";
  curves.x_label = "planted effect, %";
  curves.y_label = "found, %";
  curves.lines = {{95, "95 %"}};
  for (const ReplayedNoise& noise : replayed.noises) {
    Series series{fmt::format("σ = {:g} δ", noise.relative_sigma), {}};
    series.points.push_back(point(0, noise.null.suspected()));
    for (const auto& [size, tally] : noise.planted) {
      series.points.push_back(point(100 * size, tally.found()));
    }
    curves.series.push_back(std::move(series));
  }
  return {std::move(alarms), std::move(curves)};
}

}  // namespace tandem::evaluation
