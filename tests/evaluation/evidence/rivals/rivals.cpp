#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "evaluation/evidence/rivals/board.hpp"
#include "evaluation/evidence/rivals/draw.hpp"

namespace tandem::evaluation::rival {
namespace {

constexpr double goal = false_suspects_goal;
constexpr std::array collections = {Collection::side_by_side, Collection::one_after_the_other};

const char* name_of(Collection collection) {
  return collection == Collection::side_by_side ? "side by side" : "one after the other";
}

bool has_effects(const Board& board) {
  for (const auto& [place, score] : board) {
    if (std::get<2>(place) != 0) return true;
  }
  return false;
}

Table alarm_table(const std::string& where, std::span<const Rule> all_rules, const Board& board) {
  Table table{
      "False alarms of equal builds, " + where + " launches",
      {"rule", "decides by", "side by side", "one after the other", "launches"},
      {},
      "How often a change was called where there was none, with 95 % intervals (Clopper–Pearson) as if "
      "all decisions were independent; they share launches, so the true ones are wider. `–`: the rule "
      "makes no sense of such launches. Launches: the mean of one decision, each of both sides."};
  for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
    std::vector<std::string> row = {all_rules[rule].name, all_rules[rule].says};
    for (const Collection collection : collections) {
      const Score score = score_of(board, rule, collection, 0);
      row.push_back(score.decisions == 0 ? "–" : text_of(score.alarms()));
    }
    Score cost = score_of(board, rule, Collection::side_by_side, 0);
    if (cost.decisions == 0) cost = score_of(board, rule, Collection::one_after_the_other, 0);
    row.push_back(fmt::format("{:.1f}", cost.launches_each()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table power_table(const std::string& where, Collection collection, std::span<const Rule> all_rules,
                  const Board& board) {
  Table table{
      fmt::format("Found of planted work, {} launches, {}", where, name_of(collection)), {"rule"}, {}, {}};
  for (std::size_t effect = 1; effect < effects.size(); ++effect) {
    table.columns.push_back(fmt::format("{:g} %", effects[effect]));
  }
  table.columns.emplace_back("launches at 2 %");
  for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
    std::vector<std::string> row = {all_rules[rule].name};
    std::size_t decisions = 0;
    for (std::size_t effect = 1; effect < effects.size(); ++effect) {
      const Score score = score_of(board, rule, collection, effect);
      decisions += score.decisions;
      if (score.decisions == 0) {
        row.emplace_back("–");
        continue;
      }
      row.push_back(percent(score.found().share()));
      if (score.wrong > 0) row.back() += fmt::format(" (wrong way {})", percent(score.alarms().share()));
    }
    const Score at_two = score_of(board, rule, collection, 3);
    row.push_back(at_two.decisions == 0 ? "–" : fmt::format("{:.1f}", at_two.launches_each()));
    if (decisions > 0) table.rows.push_back(std::move(row));
  }
  std::vector<std::string> counts;
  for (std::size_t effect = 1; effect < effects.size(); ++effect) {
    counts.push_back(std::to_string(score_of(board, 0, collection, effect).decisions));
  }
  table.below = fmt::format(
      "Called, and in the right direction; the work was planted in the treatment or in the control. "
      "Decisions: {}. "
      "FAI-PEP only looks for slower ones and is judged by these alone.",
      fmt::join(counts, ", "));
  return table;
}

Plot alarm_plot(const std::string& where, std::span<const Rule> all_rules, const Board& board) {
  Plot plot{fmt::format("rivals-{}-false-alarms", where),
            fmt::format("False alarms of equal builds, {} launches", where), "",
            "false alarms in %, 95 % interval"};
  plot.kind = Plot::Kind::bars;
  plot.y_scale = Plot::Scale::logarithmic;
  for (const Rule& rule : all_rules) plot.places.push_back(rule.name);
  for (const Collection collection : collections) {
    Series series{name_of(collection), {}};
    for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
      const Score score = score_of(board, rule, collection, 0);
      if (score.decisions == 0) continue;
      const Proportion alarms = score.alarms();
      series.points.push_back(
          {static_cast<double>(rule), 100 * alarms.share(), 100 * alarms.low, 100 * alarms.high});
    }
    plot.series.push_back(std::move(series));
  }
  plot.lines = {{1, "1 %, what Tango and Tandem's screen claim"}};
  return plot;
}

Series found_by(const Rule& rule, std::size_t place, Collection collection, const Board& board) {
  Series series{rule.name, {}};
  for (std::size_t effect = 1; effect < effects.size(); ++effect) {
    const Score score = score_of(board, place, collection, effect);
    if (score.decisions == 0) continue;
    series.points.push_back({effects[effect], 100 * score.found().share()});
  }
  return series;
}

Plot power_plot(const std::string& where, Collection collection, std::span<const Rule> all_rules,
                const Board& board) {
  const bool together = collection == Collection::side_by_side;
  Plot plot{fmt::format("rivals-{}-power-{}", where, together ? "side-by-side" : "one-after-the-other"),
            fmt::format("Found of planted work, {} launches, {}", where, name_of(collection)),
            "more work in %", "found in the right direction in %"};
  // Tandem first: the first series have the plainest colours.
  for (const Rule::Whose whose : {Rule::Whose::tandem, Rule::Whose::rival}) {
    for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
      if (all_rules[rule].whose != whose) continue;
      Series series = found_by(all_rules[rule], rule, collection, board);
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
  }
  return plot;
}

Goal alarm_goal(const std::string& where, const Score& score) {
  const Proportion alarms = score.alarms();
  Goal result{"stats 7",
              fmt::format("false flags of equal builds, {} launches drawn anew, beside the rivals", where),
              "at most 0.6 % (Tango: 1 % nominal; duet thesis: 10 to 20 % measured)", text_of(alarms),
              at_most(alarms, goal)};
  if (result.met == Goal::Met::unknown) result.why = "the interval reaches over the target";
  return result;
}

void add_figures(PartResult& result, const std::string& where, std::span<const Rule> all_rules,
                 const Board& board) {
  for (const auto& [place, score] : board) {
    const auto& [rule, collection, effect] = place;
    const std::string key =
        fmt::format("{}.{}.{}.{:g}", where, all_rules[rule].name, name_of(collection), effects[effect]);
    result.figures[key + ".decisions"] = static_cast<double>(score.decisions);
    if (effect > 0) result.figures[key + ".right"] = static_cast<double>(score.right);
    result.figures[key + ".wrong"] = static_cast<double>(score.wrong);
    result.figures[key + ".launches"] = score.launches_each();
  }
}

/// Tables, drawings, notes, figures and the goal that speak of one board.
void report(PartResult& result, const std::string& where, std::span<const Rule> all_rules,
            const Board& board) {
  if (board.empty()) return;
  result.tables.push_back(alarm_table(where, all_rules, board));
  result.plots.push_back(alarm_plot(where, all_rules, board));
  if (has_effects(board)) {
    for (const Collection collection : collections) {
      result.tables.push_back(power_table(where, collection, all_rules, board));
      result.plots.push_back(power_plot(where, collection, all_rules, board));
    }
  }
  for (std::size_t rule = 0; rule < all_rules.size(); ++rule) {
    if (all_rules[rule].name != tandem_screen) continue;
    result.goals.push_back(alarm_goal(where, score_of(board, rule, Collection::side_by_side, 0)));
  }
  for (std::string& note : comparison(where, all_rules, board)) result.notes.push_back(std::move(note));
  add_figures(result, where, all_rules, board);
}

constexpr const char* says =
    "The rules by which other tools call a change, and Tandem's, on the same launches. Every rival gets ten "
    "runs of each side (Tango one launch of pairs, FAI-PEP twelve commits of one launch each), successive "
    "ones from a random place of a recording, so that all drift stays in: **one after the other**, first "
    "the control's and then the treatment's, as such tools are usually run, and **side by side**, both from "
    "the same launches that Tandem pairs, which spares them the drift; but rules that know no pairs take "
    "what both sides share for noise. Two of them are also judged with as many runs as Tandem's screen may "
    "take. Which of two equal builds is called the control is drawn anew for each launch. In the recorded "
    "launches, effects are planted by multiplying the treatment's times; in the live ones, as far as there "
    "are any, the work is real. Recordings are short and begin anew at their end, so decisions, and a "
    "confirmation and its screen, share launches. The rules are those of the sources named in "
    "`rivals/*.hpp`, written anew; ClickHouse's 10 000 relabellings are replaced by all of them, and its "
    "floors are not raised by a history of the query.";

}  // namespace

}  // namespace tandem::evaluation::rival

namespace tandem::evaluation {

PartResult rivals(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const bool brief = settings.length == PartSettings::Length::brief;
  const rival::Counts counts = brief ? rival::Counts{70, 20} : rival::Counts{5040, 1400};
  const std::size_t replicates = brief ? 200 : 10'000;
  const std::vector<rival::Rule> rules = rival::rules(replicates);
  const rival::Samples samples = rival::read_materials(settings);

  PartResult result;
  result.part = "rivals";
  result.title = "Rivals on the same samples";
  result.says = rival::says;
  const auto judge = [&](const std::string& where, const std::vector<rival::Material>& materials,
                         rival::Planting planting) {
    const auto show = [&](std::size_t done, std::size_t all) {
      settings.show(where + " launches", done, all);
    };
    rival::report(result, where, rules,
                  rival::decide(materials, planting, rules, counts, settings.seed, show));
  };
  judge("recorded", samples.recorded, rival::Planting::multiplied);
  judge("live", samples.live, rival::Planting::real);
  if (!samples.refused.empty()) {
    result.notes.push_back(
        fmt::format("Calibration would not let Tandem measure in these ways, which are judged "
                    "here all the same: {}.",
                    fmt::join(samples.refused, ", ")));
  }
  const auto is_real = [](const rival::Material& material) { return material.percent != 0; };
  if (samples.live.empty()) result.notes.emplace_back("There are no live launches yet: run `live`.");
  if (std::none_of(samples.live.begin(), samples.live.end(), is_real)) {
    result.notes.emplace_back("There is no real work to be found yet: run `power`.");
  }
  result.notes.push_back(
      fmt::format("The bootstrap of the duet paper was made with {} replicates, over 66 runs with {}.",
                  replicates, replicates / 5));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tandem::evaluation
