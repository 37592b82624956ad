#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/confirmation.hpp"
#include "analysis/statistics.hpp"
#include "evaluation/evidence/live/decision.hpp"
#include "evaluation/evidence/results/proportion.hpp"

namespace tandem::evaluation {
namespace {

std::vector<std::string> row_of(const std::string& name, std::span<const Decision> decisions) {
  const DecisionSummary sum = summary_of(decisions);
  return {name,
          std::to_string(sum.decisions),
          text_of(proportion(sum.suspects, sum.decisions)),
          std::to_string(sum.records),
          std::to_string(sum.unchanged),
          std::to_string(sum.inconclusive + sum.failed),
          fmt::format("{:.2f} %", 100 * sum.sigma),
          fmt::format("{:.0f} / {:.0f}", sum.launches_median, sum.launches_p90),
          fmt::format("{:.2f} / {:.2f}", sum.seconds_median, sum.seconds_p90)};
}

template <class Key>
std::vector<std::string> names_of(std::span<const Decision> decisions, const Key& key) {
  std::set<std::string> names;
  for (const Decision& decision : decisions) names.insert(key(decision));
  return {names.begin(), names.end()};
}

/// "9 of 10 suspects are of stream, 7 of 8 without stream unchanged": which workload has most of them.
std::string where_suspects_come_from(std::span<const Decision> decisions) {
  const std::string most = most_suspected(decisions);
  const std::size_t all = summary_of(decisions).suspects;
  const auto others = those(decisions, [&](const Decision& d) { return d.origin.workload != most; });
  const std::size_t other = summary_of(others).suspects;
  return fmt::format("{} of {} suspects are of {}; of all others {}", all - other, all, most,
                     text_of(proportion(other, others.size())));
}

Plot false_alarm_plot(std::string name, std::string title, std::span<const Decision> decisions) {
  Plot plot;
  plot.name = std::move(name);
  plot.title = std::move(title);
  plot.y_label = "false suspects, %";
  plot.kind = Plot::Kind::bars;
  plot.places = names_of(decisions, [](const Decision& d) { return d.origin.workload; });
  plot.places.emplace_back("all");
  for (const std::string& pairing : names_of(decisions, [](const Decision& d) { return d.origin.pairing; })) {
    Series series;
    series.name = pairing;
    for (std::size_t place = 0; place < plot.places.size(); ++place) {
      const auto some = those(decisions, [&](const Decision& d) {
        return d.origin.pairing == pairing &&
               (place + 1 == plot.places.size() || d.origin.workload == plot.places[place]);
      });
      if (some.empty()) continue;
      const auto share = proportion(summary_of(some).suspects, some.size());
      series.points.push_back(
          {static_cast<double>(place), 100 * share.share(), 100 * share.low, 100 * share.high});
    }
    plot.series.push_back(std::move(series));
  }
  plot.lines = {{0.6, "goal 0.6 %"}};
  return plot;
}

std::vector<Goal> false_alarm_goals(const std::string& what, std::span<const Decision> decisions,
                                    double most_records) {
  const DecisionSummary sum = summary_of(decisions);
  const Proportion suspects = proportion(sum.suspects, sum.decisions);
  const Proportion records = proportion(sum.records, sum.decisions);
  std::vector<Goal> goals = {
      {"stats 7", fmt::format("false suspects, {}", what),
       fmt::format("at most {}", percent(false_suspects_goal)), text_of(suspects),
       at_most(suspects, false_suspects_goal)},
      {"design 11", fmt::format("false records, {}", what), fmt::format("at most {}", percent(most_records)),
       text_of(records), at_most(records, most_records)}};
  for (Goal& goal : goals) {
    if (goal.met == Goal::Met::unknown) {
      goal.why = "the interval of so many decisions reaches beyond the target";
    } else if (goal.met == Goal::Met::no) {
      goal.why = where_suspects_come_from(decisions);
    }
  }
  if (goals.back().met == Goal::Met::unknown) {
    goals.back().why += fmt::format(
        "; `replay` has the many that a small one takes. By the two steps together it is met: a suspect in "
        "at most {} of the decisions, and of those the confirmation lets through at most {}, an exact test",
        percent(suspects.high), percent(analysis::confirmation_alpha));
  }
  return goals;
}

}  // namespace

DecisionSummary summary_of(std::span<const Decision> decisions) {
  DecisionSummary sum;
  sum.decisions = decisions.size();
  if (decisions.empty()) return sum;
  std::vector<double> launches;
  std::vector<double> seconds;
  std::vector<double> sigmas;
  for (const Decision& decision : decisions) {
    sum.suspects += decision.is_suspect() ? 1 : 0;
    sum.records += decision.is_record() ? 1 : 0;
    sum.slower += decision.outcome == "slower" ? 1 : 0;
    sum.faster += decision.outcome == "faster" ? 1 : 0;
    sum.recorded_of += decision.confirmation != "-" ? 1 : 0;
    sum.unchanged += decision.outcome == "unchanged" ? 1 : 0;
    sum.inconclusive += decision.outcome == "inconclusive" ? 1 : 0;
    launches.push_back(static_cast<double>(decision.launches));
    seconds.push_back(decision.seconds);
    sigmas.push_back(decision.sigma);
    sum.seconds += decision.seconds + decision.confirmation_seconds;
  }
  sum.failed = sum.decisions - sum.suspects - sum.unchanged - sum.inconclusive;
  sum.launches_median = *analysis::median(launches);
  sum.launches_p90 = *analysis::quantile(launches, 0.9);
  sum.seconds_median = *analysis::median(seconds);
  sum.seconds_p90 = *analysis::quantile(seconds, 0.9);
  sum.sigma = *analysis::median(sigmas);
  return sum;
}

std::string most_suspected(std::span<const Decision> decisions) {
  std::map<std::string, std::size_t> suspects;
  for (const Decision& decision : decisions)
    suspects[decision.origin.workload] += decision.is_suspect() ? 1 : 0;
  return std::max_element(suspects.begin(), suspects.end(),
                          [](const auto& one, const auto& other) { return one.second < other.second; })
      ->first;
}

std::vector<Decision> those(std::span<const Decision> decisions,
                            const std::function<bool(const Decision&)>& condition) {
  std::vector<Decision> kept;
  std::copy_if(decisions.begin(), decisions.end(), std::back_inserter(kept), condition);
  return kept;
}

Table false_alarm_table(std::string title, std::span<const Decision> decisions) {
  Table table{
      std::move(title),
      {"workload, pairing", "decisions", "false suspects (95 % interval)", "false records", "unchanged",
       "inconclusive or failed", "σ of a launch", "launches, median / p90", "seconds, median / p90"},
      {}};
  for (const std::string& pairing : names_of(decisions, [](const Decision& d) { return d.origin.pairing; })) {
    const auto paired = those(decisions, [&](const Decision& d) { return d.origin.pairing == pairing; });
    for (const std::string& name : names_of(paired, [](const Decision& d) { return d.origin.workload; })) {
      const auto some = those(paired, [&](const Decision& d) { return d.origin.workload == name; });
      table.rows.push_back(row_of(fmt::format("{}, {}", name, pairing), some));
    }
    table.rows.push_back(row_of(fmt::format("**all, {}**", pairing), paired));
  }
  table.rows.push_back(row_of("**all**", decisions));
  return table;
}

void add_false_alarms(PartResult& result, const std::string& of, const std::string& what,
                      std::span<const Decision> decisions, double most_records) {
  const DecisionSummary sum = summary_of(decisions);
  result.seconds = sum.seconds;
  result.goals = false_alarm_goals(what, decisions, most_records);
  result.tables = {false_alarm_table("False alarms of " + of, decisions)};
  result.plots = {false_alarm_plot(result.part + "-false-alarms", "False suspects of " + what, decisions)};
  result.figures = {{"decisions", static_cast<double>(sum.decisions)},
                    {"suspects", static_cast<double>(sum.suspects)},
                    {"records", static_cast<double>(sum.records)}};
}

}  // namespace tandem::evaluation
