#include <fmt/format.h>

#include <set>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/culprit/culprit.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t drawn_length = 32;
constexpr double goal_right = 98.5;

/// All that a row of a table is about.
struct Row {
  LayoutSpread layouts;
  std::size_t commits;
  double size;
};

std::vector<Row> rows_of(const std::vector<Cell>& cells) {
  std::vector<Row> rows;
  for (const Cell& cell : cells) {
    const HistoryPlan& plan = cell.plan;
    const bool is_new = rows.empty() || rows.back().layouts != plan.layouts ||
                        rows.back().commits != plan.commits || rows.back().size != plan.effect_sigmas;
    if (is_new) rows.push_back({plan.layouts, plan.commits, plan.effect_sigmas});
  }
  return rows;
}

Tally tally_of(const std::vector<Cell>& cells, const Row& row, const Rule& rule, Steps steps) {
  return sum_of(cells, [&](const Cell& cell) {
    return cell.rule == rule && cell.plan.steps == steps && cell.plan.layouts == row.layouts &&
           cell.plan.commits == row.commits && cell.plan.effect_sigmas == row.size;
  });
}

std::string cell_of(std::size_t hits, std::size_t all) {
  return all == 0 ? "-" : fmt::format("{:.1f} %", 100 * proportion(hits, all).share());
}

std::string quantile_cell(const Tally& tally, double at) {
  const auto value = analysis::quantile(tally.measurements, at);
  return value ? fmt::format("{:.0f}", *value) : "-";
}

/// By Judged.
constexpr const char* words[] = {"right",     "right, with co-suspects", "wrong",
                                 "no answer", "no single commit",        "no answer"};

}  // namespace

Table answers_table(const std::vector<Cell>& cells) {
  Table table{"Simulated histories, searched by Tandem",
              {"layouts", "commits", "θ/σ", "exact", "with co-suspects", "wrong", "withdrawn", "not named",
               "undecided", "first of two", "no culprit, said so", "measurements, median", "p90"},
              {}};
  for (const Row& row : rows_of(cells)) {
    const Tally one = tally_of(cells, row, {}, Steps::one);
    const Tally two = tally_of(cells, row, {}, Steps::two);
    const Tally none = tally_of(cells, row, {}, Steps::none);
    table.rows.push_back(
        {name_of(row.layouts), fmt::format("{}", row.commits), fmt::format("{:g}", row.size),
         cell_of(one.of(Judged::exact), one.all), cell_of(one.of(Judged::among), one.all),
         cell_of(one.of(Judged::wrong), one.all), cell_of(one.of(Judged::withdrawn), one.all),
         cell_of(one.of(Judged::not_named), one.all), cell_of(one.of(Judged::undecided), one.all),
         cell_of(two.right(), two.all), cell_of(none.of(Judged::exact), none.all), quantile_cell(one, 0.5),
         quantile_cell(one, 0.9)});
  }
  table.below =
      "θ/σ: one step over the standard deviation of one measurement (two launches in opposite slots). "
      "`fresh`: besides, every linking moves a side by a quarter of the effect, and every measurement is "
      "linked anew, as Tandem does. `fixed`: the same, but each commit keeps one linking, which Tandem does "
      "not do: what linking anew buys. `with co-suspects`: the culprit, or a commit right before it, does "
      "not build. `withdrawn`: a wrong commit that was then not confirmed against its parent, so that no "
      "record names it. Measurements are those of the search; the confirmation after it takes 16 more, "
      "seldom 32 or 64.";
  return table;
}

Table bisection_table(const std::vector<Cell>& cells) {
  Table table{"Beside bisection: culprit right, measurements (median)", {"layouts", "commits", "θ/σ"}, {}};
  for (const Rule& rule : rules()) {
    table.columns.push_back(name_of(rule));
    table.columns.push_back("measurements");
  }
  table.columns.push_back("no culprit, right: Tandem");
  table.columns.push_back("bisection");
  for (const Row& row : rows_of(cells)) {
    if (row.layouts == LayoutSpread::fixed) continue;
    std::vector<std::string> line = {row.layouts == LayoutSpread::none ? "none" : "spread",
                                     fmt::format("{}", row.commits), fmt::format("{:g}", row.size)};
    for (const Rule& rule : rules()) {
      Row its = row;
      // Who builds a commit once has one linking of it.
      const bool is_fixed = rule.kind == Rule::Kind::bisection && row.layouts == LayoutSpread::fresh;
      if (is_fixed) its.layouts = LayoutSpread::fixed;
      const Tally tally = tally_of(cells, its, rule, Steps::one);
      line.push_back(cell_of(tally.right(), tally.all));
      line.push_back(quantile_cell(tally, 0.5));
    }
    for (const Rule& rule : {rules()[0], rules()[1]}) {
      const Tally tally = tally_of(cells, row, rule, Steps::none);
      line.push_back(cell_of(tally.of(Judged::exact), tally.all));
    }
    table.rows.push_back(std::move(line));
  }
  table.below =
      "Same histories, same noise. A bisection halves the range by one measurement of the middle, or by the "
      "median of three, against half of the known effect. `spread`: linkings differ by a quarter of the "
      "effect per side; Tandem links anew for every measurement, a bisection has built each commit once. "
      "Right: the culprit is named, alone or with those beside it that do not build. Published: FACF 97.5 % "
      "and its plain bisection 96.1 % where a culprit exists, about 40 % of the ranges having none (Google, "
      "ICST 2023); FBDetect 94.7 % among its first three, for a third of the regressions (Meta, SOSP 2024).";
  return table;
}

Table real_table(const RealHistories& histories) {
  Table table{"Real histories, walked by `tandem bisect`",
              {"history", "commits", "planted", "culprit at", "does not build", "named", "probability",
               "measurements", "s", "answer"},
              {}};
  for (const RealHistory& one : histories.all) {
    std::string named = one.named == 0 ? "-" : fmt::format("{}", one.named);
    for (const std::size_t other : one.co_suspects) named += fmt::format(" or {}", other);
    table.rows.push_back({fmt::format("{}", one.number), fmt::format("{}", one.commits),
                          fmt::format("{:g} % of {}", one.percent, one.benchmark),
                          fmt::format("{}", one.culprit),
                          one.broken == 0 ? "-" : fmt::format("{}", one.broken), named,
                          one.probability ? fmt::format("{:.1f} %", *one.probability) : "-",
                          fmt::format("{}", one.measurements), fmt::format("{:.1f}", one.seconds),
                          words[static_cast<std::size_t>(judge(one))]});
  }
  for (const auto& [meant, counted] : histories.planted) {
    table.below +=
        fmt::format("Of {} % planted work, valgrind counts {:+.2f} % instructions. ", meant, counted);
  }
  return table;
}

Plot right_plot(const std::vector<Cell>& cells) {
  Plot plot;
  plot.name = "culprit-right";
  plot.title = fmt::format("Culprit right among {} commits, layouts differing", drawn_length);
  plot.x_label = "effect over the noise of one measurement";
  plot.y_label = "right, %";
  plot.x_scale = Plot::Scale::logarithmic;
  struct Kind {
    const char* name;
    Rule rule;
    LayoutSpread layouts;
  };
  const Kind kinds[] = {{"Tandem", rules()[0], LayoutSpread::fresh},
                        {"Tandem, if it linked each commit once", rules()[0], LayoutSpread::fixed},
                        {"bisection", rules()[1], LayoutSpread::fixed},
                        {"bisection, median of 3", rules()[2], LayoutSpread::fixed}};
  for (const Kind& kind : kinds) {
    Series series{kind.name, {}};
    for (const double size : effect_sizes()) {
      const Tally tally = tally_of(cells, {kind.layouts, drawn_length, size}, kind.rule, Steps::one);
      const Proportion right = proportion(tally.right(), tally.all);
      series.points.push_back({size, 100 * right.share(), 100 * right.low, 100 * right.high});
    }
    plot.series.push_back(std::move(series));
  }
  plot.lines.push_back({goal_right, "98.5 %, the goal"});
  return plot;
}

Plot measurements_plot(const std::vector<Cell>& cells) {
  Plot plot;
  plot.name = "culprit-measurements";
  plot.title = "Measurements until Tandem is sure, median and from p10 to p90";
  plot.x_label = "commits";
  plot.y_label = "measurements";
  plot.x_scale = plot.y_scale = Plot::Scale::logarithmic;
  std::set<std::size_t> lengths;
  for (const Cell& cell : cells) lengths.insert(cell.plan.commits);
  for (const double size : effect_sizes()) {
    Series series{fmt::format("θ/σ = {:g}", size), {}};
    for (const std::size_t commits : lengths) {
      const Tally tally = tally_of(cells, {LayoutSpread::fresh, commits, size}, {}, Steps::one);
      const auto at = [&](double part) { return *analysis::quantile(tally.measurements, part); };
      series.points.push_back({static_cast<double>(commits), at(0.5), at(0.1), at(0.9)});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace tandem::evaluation
