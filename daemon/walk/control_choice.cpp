#include "daemon/walk/control_choice.hpp"

#include <set>
#include <utility>

#include "daemon/walk/identical.hpp"

namespace tandem::daemon {

void ControlChoice::clear() {
  constexpr std::size_t commits_remembered = 500;
  if (benchmarks_.size() > commits_remembered) benchmarks_.clear();
}

std::optional<std::size_t> ControlChoice::control_for(const Line& line, std::size_t position,
                                                      const Test& test, const Candidate& candidate) {
  const auto definition = expected_definition(line, position, test, candidate.name);
  const std::size_t beginning = beginning_of(line, position, candidate.name, definition);
  ControlQuestion question;
  question.treatment = position;
  question.usable = [&](std::size_t at) {
    if (at < beginning || !line.leads_to(at, position)) return false;
    const auto known = definition_at(line.commits.at(at).id, candidate.name);
    return known && same_definition(*known, definition);
  };
  auto records = context_.store.records({settings_.key, candidate.name, std::nullopt, std::nullopt});
  std::erase_if(records, [&](const Record& one) { return one.metric.name != candidate.metric.name; });
  question.level = level_before(line, position, records);
  if (!settings_.base_commit.empty()) question.base = line.position(settings_.base_commit);
  return control_by(settings_.control, line, question);
}

std::optional<std::size_t> ControlChoice::nearest_before(const Line& line, std::size_t position,
                                                         const std::string& benchmark) {
  // Of a merge it is the first parent, wherever the other branch lies in the order.
  const auto parent = line.position(line.commits[position].first_parent);
  if (parent && *parent < position && usable(line, *parent, benchmark)) return parent;
  ControlQuestion question;
  question.treatment = position;
  question.usable = [&](std::size_t at) {
    return usable(line, at, benchmark) && line.leads_to(at, position);
  };
  return control_by(config::ControlRule::parent, line, question);
}

std::optional<store::Definition> ControlChoice::definition_at(const std::string& commit,
                                                              const std::string& benchmark) {
  const auto& known = benchmarks_of(commit);
  const auto found = known.find(benchmark);
  return found == known.end() ? std::nullopt : std::optional(found->second.definition);
}

bool ControlChoice::comparable(const Line& line, std::size_t at, std::size_t position, const Test& test,
                               const std::string& benchmark) {
  const auto known = definition_at(line.commits.at(at).id, benchmark);
  if (!known || !line.leads_to(at, position)) return false;
  const auto definition = expected_definition(line, position, test, benchmark);
  return at >= beginning_of(line, position, benchmark, definition) && same_definition(*known, definition);
}

const std::map<std::string, ControlChoice::KnownBenchmark>& ControlChoice::benchmarks_of(
    const std::string& commit) {
  using analysis::Outcome;
  const auto known = benchmarks_.find(commit);
  if (known != benchmarks_.end()) return known->second;
  std::map<std::string, KnownBenchmark> names;
  std::set<std::string> failing;  // a metric beside the time may be fine all the same
  for (const auto& verdict : context_.store.verdicts(settings_.key, commit)) {
    const Outcome outcome = verdict.outcome;
    if (outcome == Outcome::failed || outcome == Outcome::treatment_fails || outcome == Outcome::missing) {
      failing.insert(verdict.benchmark);
      continue;
    }
    KnownBenchmark& one = names[verdict.benchmark];
    if (one.definition.spec.empty()) one.definition = verdict.definition;
    one.begins = one.begins || outcome == Outcome::redefined;
  }
  for (const std::string& name : failing) names.erase(name);
  // The walk has stepped over a commit without verdicts; it may still be examined.
  static const std::map<std::string, KnownBenchmark> none;
  return names.empty() ? none : benchmarks_.emplace(commit, std::move(names)).first->second;
}

bool ControlChoice::usable(const Line& line, std::size_t position, const std::string& benchmark) {
  return benchmarks_of(line.commits.at(position).id).contains(benchmark);
}

std::size_t ControlChoice::beginning_of(const Line& line, std::size_t position, const std::string& benchmark,
                                        const store::Definition& definition) {
  if (definition.version.empty()) return 0;
  for (std::size_t at = position; at > 0; --at) {
    const auto& known = benchmarks_of(line.commits[at - 1].id);
    const auto found = known.find(benchmark);
    if (found != known.end() && found->second.begins && line.leads_to(at - 1, position)) return at - 1;
  }
  return 0;
}

store::Definition ControlChoice::expected_definition(const Line& line, std::size_t position, const Test& test,
                                                     const std::string& benchmark) {
  const store::Definition of_spec = definition_of(test);
  const auto before = nearest_before(line, position, benchmark);
  if (!before) return of_spec;
  const auto earlier = definition_at(line.commits[*before].id, benchmark);
  return earlier && earlier->spec == of_spec.spec ? *earlier : of_spec;
}

}  // namespace tandem::daemon
