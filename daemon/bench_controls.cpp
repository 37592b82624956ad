// What Bench knows of the commits before the treatment: controls, and benchmarks that are gone.
#include <algorithm>

#include "daemon/bench.hpp"

namespace tandem::daemon {
namespace {

/// Whether it speaks of a whole program: only then was there no control to fail beside.
bool is_of_program(const store::StoredVerdict& verdict) {
  return verdict.outcome == "failed" && verdict.control.empty();
}

}  // namespace

std::optional<std::size_t> Bench::control_for(const Line& line, std::size_t position,
                                              const Candidate& candidate) {
  ControlQuestion question;
  question.treatment = position;
  question.usable = [&](std::size_t at) {
    return usable(line, at, candidate.name) && line.leads_to(at, position);
  };
  if (const auto level = workshop_.store.level(settings_.key, candidate.name, candidate.metric.name)) {
    question.level = line.position(*level);
  }
  // After a force-push, or beside another branch, the last step may be no ancestor; then an earlier one is.
  if (!question.level || !line.leads_to(*question.level, position)) {
    question.level = last_step_before(line, position, candidate);
  }
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

std::optional<std::size_t> Bench::last_step_before(const Line& line, std::size_t position,
                                                   const Candidate& candidate) const {
  std::optional<std::size_t> last;
  for (const Record& record :
       workshop_.store.records({settings_.key, candidate.name, std::nullopt, std::nullopt})) {
    if (!is_step(record.kind) || record.metric.name != candidate.metric.name) continue;
    const auto at = line.position(record.treatment.id);
    if (at && line.leads_to(*at, position)) last = std::max(last.value_or(0), *at);
  }
  return last;
}

const std::set<std::string>& Bench::benchmarks_of(const std::string& commit) {
  const auto known = benchmarks_.find(commit);
  if (known != benchmarks_.end()) return known->second;
  std::set<std::string> names;
  std::set<std::string> failing;  // a metric beside the time may be fine all the same
  for (const auto& verdict : workshop_.store.verdicts(settings_.key, commit)) {
    const std::string& outcome = verdict.outcome;
    const bool fails = outcome == "failed" || outcome == "treatment_fails" || outcome == "missing";
    (fails ? failing : names).insert(verdict.benchmark);
  }
  for (const std::string& name : failing) names.erase(name);
  // A commit that was stepped over has none yet.
  static const std::set<std::string> none;
  return names.empty() ? none : benchmarks_.emplace(commit, std::move(names)).first->second;
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
      // One that failed was there to fail.
      if (verdict.outcome == "missing" || is_of_program(verdict)) continue;
      listed = true;
      if (here.contains(name) || unknown(name)) continue;
      save_without_screen(commit, earlier, {name, name, verdict.metric}, "missing",
                          "the commit before still had it");
    }
    if (listed) return;
  }
}

}  // namespace tandem::daemon
