#include "evaluation/evidence/live/decision.hpp"

#include <fmt/format.h>

#include <chrono>

#include "analysis/verdict.hpp"
#include "daemon/walk/confirming.hpp"
#include "evaluation/evidence/results/fields.hpp"
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

}  // namespace

Journal::Fields fields_of(const Decision& one) {
  return {one.origin.workload,
          one.origin.pairing,
          one.origin.layouts,
          fmt::format("{:g}", one.origin.percent),
          std::to_string(one.number),
          one.outcome,
          std::to_string(one.launches),
          fmt::format("{:.3f}", one.seconds),
          fmt::format("{:.6f}", one.ratio),
          fmt::format("{:.6g}", one.sigma),
          fmt::format("{:g}", one.margin),
          one.confirmation,
          std::to_string(one.units),
          fmt::format("{:.6f}", one.confirmed_ratio),
          fmt::format("{:.3f}", one.confirmation_seconds),
          one.load,
          std::to_string(one.seed)};
}

std::optional<Decision> decision_in(const Journal::Fields& fields) {
  if (fields.size() != 17) return std::nullopt;
  Decision one;
  one.origin.workload = fields[0];
  one.origin.pairing = fields[1];
  one.origin.layouts = fields[2];
  one.outcome = fields[5];
  one.confirmation = fields[11];
  one.load = fields[15];
  const bool whole = read_number(fields[3], one.origin.percent) && read_number(fields[4], one.number) &&
                     read_number(fields[6], one.launches) && read_number(fields[7], one.seconds) &&
                     read_number(fields[8], one.ratio) && read_number(fields[9], one.sigma) &&
                     read_number(fields[10], one.margin) && read_number(fields[12], one.units) &&
                     read_number(fields[13], one.confirmed_ratio) &&
                     read_number(fields[14], one.confirmation_seconds) && read_number(fields[16], one.seed);
  return whole ? std::optional(std::move(one)) : std::nullopt;
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

}  // namespace tandem::evaluation
