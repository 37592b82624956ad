#include "evaluation/evidence/live/decision.hpp"

#include <fmt/format.h>

#include <chrono>

#include "analysis/verdict.hpp"
#include "daemon/walk/confirming.hpp"
#include "evaluation/evidence/results/journal.hpp"
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

}  // namespace tandem::evaluation
