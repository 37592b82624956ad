#include "evaluation/evidence/live/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>

#include "analysis/confirmation.hpp"
#include "analysis/statistics.hpp"
#include "analysis/verdict.hpp"
#include "daemon/measure/confirmation.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/proportion.hpp"
#include "runners/host/machine_facts.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string spaced(std::string_view name) {
  std::string text(name);
  for (char& letter : text) letter = letter == '_' ? ' ' : letter;
  return text;
}

void confirm(runners::PairRunner& runner, const DecisionSubject& subject, const analysis::Verdict& verdict,
             std::uint64_t seed, Decision& decision) {
  daemon::ConfirmationTask task;
  task.pair = subject.unit;
  task.as_built = subject.as_built;
  task.subject = subject.subject;
  task.benchmark = subject.subject.benchmark;
  task.suspected = verdict.outcome == analysis::Outcome::slower ? analysis::Direction::slower
                                                                : analysis::Direction::faster;
  task.statistic = verdict.decided_by_total ? analysis::Statistic::total : analysis::Statistic::median;
  task.margin = subject.margin;
  task.minimum_effect = analysis::minimum_effect(subject.margin);
  task.seed = seed ^ 0x5bd1e9955bd1e995;
  const auto begin = Clock::now();
  const auto result = daemon::confirm_suspect(runner, task, {}, {});
  decision.confirmation_seconds = seconds_since(begin);
  if (const auto* record = std::get_if<daemon::ConfirmationRecord>(&result)) {
    decision.confirmation = spaced(analysis::name_of(record->result.outcome));
    decision.units = record->result.units;
    decision.confirmed_ratio = record->result.ratio.estimate;
  } else {
    decision.confirmation = "failed";
  }
}

/// The fields of a line in their order, each with the form in which it is written.
template <class AnyDecision, class Visit>
void visit_fields(AnyDecision& one, const Visit& field) {
  field(one.origin.workload, "{}"), field(one.origin.pairing, "{}"), field(one.origin.layouts, "{}");
  field(one.origin.percent, "{:g}"), field(one.number, "{}"), field(one.outcome, "{}");
  field(one.launches, "{}"), field(one.seconds, "{:.3f}"), field(one.ratio, "{:.6f}");
  field(one.sigma, "{:.6g}"), field(one.margin, "{:g}"), field(one.confirmation, "{}");
  field(one.units, "{}"), field(one.confirmed_ratio, "{:.6f}"), field(one.confirmation_seconds, "{:.3f}");
  field(one.load, "{}"), field(one.seed, "{}");
}

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
  const auto others = filtered(decisions, [&](const Decision& d) { return d.origin.workload != most; });
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
      const auto some = filtered(decisions, [&](const Decision& d) {
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

Journal::Fields fields_of(const Decision& one) {
  Journal::Fields fields;
  visit_fields(one, [&](const auto& value, const char* form) {
    fields.push_back(fmt::format(fmt::runtime(form), value));
  });
  return fields;
}

std::optional<Decision> decision_in(const Journal::Fields& fields) {
  Decision one;
  FieldReader reader(fields);
  visit_fields(one, [&](auto& value, const char*) { reader >> value; });
  return reader.is_whole() ? std::optional(std::move(one)) : std::nullopt;
}

std::vector<Decision> decisions_in(const Journal& journal) {
  std::vector<Decision> decisions;
  for (const Journal::Fields& fields : journal.rows()) {
    auto decision = decision_in(fields);
    if (!decision) throw Error("the journal has a line that is no decision");
    decisions.push_back(std::move(*decision));
  }
  return decisions;
}

Measured decide(runners::PairRunner& runner, const DecisionSubject& subject, std::size_t number,
                std::uint64_t seed) {
  daemon::ScreeningSettings settings;
  settings.margin = subject.margin;
  settings.seed = seed;
  settings.priors[daemon::series_key(subject.subject.benchmark, {})] = subject.prior;
  const auto begin = Clock::now();
  const auto screened = daemon::screen(runner, subject.pairs, subject.subject, settings, {}, {});
  Measured measured;
  Decision& decision = measured.decision;
  decision.origin = subject.origin;
  decision.number = number;
  decision.seconds = seconds_since(begin);
  if (screened.empty()) throw Error(fmt::format("{} gives nothing to judge", subject.origin.workload));
  const auto& one = screened.front();
  decision.outcome = analysis::name_of(one.verdict.outcome);
  decision.launches = one.verdict.launches;
  decision.ratio = one.verdict.ratio.estimate;
  decision.sigma = one.verdict.sigma;
  decision.margin = subject.margin;
  for (const runners::Launch& launch : one.launches) {
    if (const auto row = summarise(launch)) measured.launches.push_back(*row);
  }
  if (decision.is_suspect() && subject.confirming == DecisionSubject::Confirming::yes) {
    confirm(runner, subject, one.verdict, seed, decision);
  }
  if (const auto load = runners::load_average({})) decision.load = fmt::format("{:.2f}", *load);
  return measured;
}

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

std::vector<Decision> filtered(std::span<const Decision> decisions,
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
    const auto paired = filtered(decisions, [&](const Decision& d) { return d.origin.pairing == pairing; });
    for (const std::string& name : names_of(paired, [](const Decision& d) { return d.origin.workload; })) {
      const auto some = filtered(paired, [&](const Decision& d) { return d.origin.workload == name; });
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
