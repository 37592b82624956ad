// What Bench knows of the commits before the treatment: controls, and benchmarks that are gone.
#include <algorithm>

#include "daemon/walk/bench.hpp"
#include "daemon/walk/likeness.hpp"

namespace tandem::daemon {
namespace {

/// Whether it speaks of a whole program: only then was there no control to fail beside.
bool is_of_program(const store::StoredVerdict& verdict) {
  return verdict.outcome == "failed" && verdict.control.empty();
}

}  // namespace

bool Bench::comparable(const Line& line, std::size_t at, std::size_t position, const Test& test,
                       const std::string& benchmark) {
  const auto& known = benchmarks_of(line.commits.at(at).id);
  const auto found = known.find(benchmark);
  if (found == known.end() || !line.leads_to(at, position)) return false;
  const std::string definition = expected_definition(line, position, test, benchmark);
  return at >= beginning_of(line, position, benchmark, definition) &&
         same_definition(found->second.definition, definition);
}

std::size_t Bench::beginning_of(const Line& line, std::size_t position, const std::string& benchmark,
                                const std::string& definition) {
  if (definition.ends_with('/')) return 0;  // it has no versions
  for (std::size_t at = position; at > 0; --at) {
    const auto& known = benchmarks_of(line.commits[at - 1].id);
    const auto found = known.find(benchmark);
    if (found != known.end() && found->second.begins && line.leads_to(at - 1, position)) return at - 1;
  }
  return 0;
}

std::optional<std::size_t> Bench::control_for(const Line& line, std::size_t position, const Test& test,
                                              const Candidate& candidate) {
  const std::string definition = expected_definition(line, position, test, candidate.name);
  const std::size_t beginning = beginning_of(line, position, candidate.name, definition);
  ControlQuestion question;
  question.treatment = position;
  question.usable = [&](std::size_t at) {
    if (at < beginning || !line.leads_to(at, position)) return false;
    const auto& known = benchmarks_of(line.commits.at(at).id);
    const auto found = known.find(candidate.name);
    return found != known.end() && same_definition(found->second.definition, definition);
  };
  auto records = workshop_.store.records({settings_.key, candidate.name, std::nullopt, std::nullopt});
  std::erase_if(records, [&](const Record& one) { return one.metric.name != candidate.metric.name; });
  question.level = level_before(line, position, records);
  if (!settings_.base_commit.empty()) question.base = line.position(settings_.base_commit);
  switch (settings_.control) {
    case PipelineSettings::Control::week:
      return control_by_week(line, question);
    case PipelineSettings::Control::parent:
      return control_by_parent(question);
    case PipelineSettings::Control::fixed:
      return control_by_base(question);
    case PipelineSettings::Control::tag:
      return control_by_tag(line, question);
  }
  return std::nullopt;
}

const std::map<std::string, Bench::KnownBenchmark>& Bench::benchmarks_of(const std::string& commit) {
  const auto known = benchmarks_.find(commit);
  if (known != benchmarks_.end()) return known->second;
  std::map<std::string, KnownBenchmark> names;
  std::set<std::string> failing;  // a metric beside the time may be fine all the same
  for (const auto& verdict : workshop_.store.verdicts(settings_.key, commit)) {
    const std::string& outcome = verdict.outcome;
    if (outcome == "failed" || outcome == "treatment_fails" || outcome == "missing") {
      failing.insert(verdict.benchmark);
      continue;
    }
    KnownBenchmark& one = names[verdict.benchmark];
    if (one.definition.empty()) one.definition = verdict.definition;
    one.begins = one.begins || outcome == "redefined";
  }
  for (const std::string& name : failing) names.erase(name);
  // A commit that was stepped over has none yet.
  static const std::map<std::string, KnownBenchmark> none;
  return names.empty() ? none : benchmarks_.emplace(commit, std::move(names)).first->second;
}

std::string Bench::expected_definition(const Line& line, std::size_t position, const Test& test,
                                       const std::string& benchmark) {
  const std::string spec = definition_of(test) + "/";
  const auto before = nearest_before(line, position, benchmark);
  if (!before) return spec;
  const std::string& earlier = benchmarks_of(line.commits[*before].id).at(benchmark).definition;
  return earlier.starts_with(spec) ? earlier : spec;
}

bool Bench::usable(const Line& line, std::size_t position, const std::string& benchmark) {
  return benchmarks_of(line.commits.at(position).id).contains(benchmark);
}

std::optional<std::size_t> Bench::nearest_before(const Line& line, std::size_t position,
                                                 const std::string& benchmark) {
  // Of a merge it is the first parent, wherever the other branch lies in the order.
  const auto parent = line.position(line.commits[position].first_parent);
  if (parent && *parent < position && usable(line, *parent, benchmark)) return parent;
  ControlQuestion question;
  question.treatment = position;
  question.usable = [&](std::size_t at) {
    return usable(line, at, benchmark) && line.leads_to(at, position);
  };
  return control_by_parent(question);
}

void Bench::note_missing(const Line& line, std::size_t position) {
  const std::string& commit = line.commits[position].id;
  std::set<std::string> here;
  std::set<std::string> silent;
  for (const auto& verdict : workshop_.store.verdicts(settings_.key, commit)) {
    (is_of_program(verdict) ? silent : here).insert(verdict.benchmark);
  }
  // A program that listed nothing has lost nothing.
  const auto unknown = [&](const std::string& name) {
    return std::any_of(settings_.tests.begin(), settings_.tests.end(), [&](const Test& test) {
      return silent.contains(program_name(test)) && name.starts_with(full_name(test, ""));
    });
  };
  for (std::size_t before = position; before > 0; --before) {
    if (!line.leads_to(before - 1, position)) continue;
    const std::string& earlier = line.commits[before - 1].id;
    bool listed = false;
    for (const auto& verdict : workshop_.store.verdicts(settings_.key, earlier)) {
      const std::string& name = verdict.benchmark;
      // One that failed was there to fail, and what was missing already is known to be.
      if (is_of_program(verdict)) continue;
      listed = true;
      if (verdict.outcome == "missing") continue;
      if (here.contains(name) || unknown(name)) continue;
      save_without_screen(commit, earlier, nullptr, {name, name, verdict.metric}, "missing",
                          "the commit before still had it");
    }
    if (listed) return;
  }
}

}  // namespace tandem::daemon
