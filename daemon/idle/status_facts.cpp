#include "daemon/idle/status_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "analysis/error_budget.hpp"
#include "daemon/idle/anchors.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::daemon {
namespace {

constexpr std::int64_t day_seconds = 24 * 60 * 60;
constexpr std::int64_t window_days = 30;
constexpr std::size_t changes_shown = 5;

}  // namespace

void show_false_records(Status& status, const store::Store& store, std::int64_t now) {
  const auto counts = store.screen_counts(now - window_days * day_seconds);
  // A change that held says nothing about commits without one.
  const std::size_t true_changes = counts.suspects - std::min(counts.false_suspects, counts.suspects);
  analysis::ErrorFacts facts;
  facts.screens = counts.screens;
  // A first day that is not over yet must not be taken for a whole month's pace.
  facts.days = std::max(1.0, static_cast<double>(now - counts.first_at) / day_seconds);
  if (counts.first_at == 0) facts.days = 1;
  facts.null_screens = counts.null_screens + counts.screens - std::min(true_changes, counts.screens);
  facts.null_suspects = counts.null_suspects + std::min(counts.false_suspects, counts.suspects);
  const auto budget = analysis::error_budget(facts).value_or(analysis::ErrorBudget{});
  status.false_records = {budget.false_records_per_month,
                          budget.most_false_records_per_month,
                          budget.tests_per_month,
                          budget.suspect_rate,
                          counts.screens + counts.null_screens,
                          facts.null_screens,
                          facts.null_suspects};
}

void show_environment(Status& status, const store::Store& store) {
  const auto newest_of = [&](const std::vector<std::string>& kinds) {
    std::vector<Status::Change> changes;
    for (const auto& event : store.newest_events_of(kinds, changes_shown)) {
      changes.push_back({event.at, event.sentence});
    }
    return changes;
  };
  status.environment_changes = newest_of({"environment"});
  status.notices = newest_of({"drift", "margin"});
}

void show_drift(Status& status, const store::Store& store) {
  status.drift.clear();
  for (const WatchKey& key : store.scopes()) {
    for (const auto& verdict : store.verdicts(key, store.last_done(key).value_or(""))) {
      for (const Span span : {Span::month, Span::week}) {
        const auto points = store.points(key, verdict.benchmark, verdict.metric.name, name_of(span), 1);
        if (points.empty()) continue;
        const auto& last = points.back();
        status.drift.push_back({key.watch, key.platform, report::series_name(last.benchmark, verdict.metric),
                                last.span, last.anchor, last.commit, std::exp(last.value)});
      }
    }
  }
}

void show_requests(Status& status, const store::Store& store) {
  status.requests.clear();
  for (const Request& one : store.waiting_requests()) {
    status.requests.push_back({one.id, name_of(one.kind), one.key.watch, one.commit, one.by, one.at});
  }
}

void show_store(Status& status, const store::Store& store, std::int64_t now) {
  show_false_records(status, store, now);
  show_environment(status, store);
  show_drift(status, store);
  show_requests(status, store);
}

namespace {

constexpr const char* host_facts_name = "host";
constexpr std::size_t mark_digits = 12;

using Fact = std::pair<std::string, std::string>;

std::string said(const std::optional<std::string>& text) {
  return text && !text->empty() ? *text : "unknown";
}

const char* said(const std::optional<bool>& truth) {
  return !truth ? "unknown" : *truth ? "on" : "off";
}

/// A value stays on its line.
std::string line_of(const std::string& name, std::string value) {
  for (char& letter : value) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  return fmt::format("{}={}\n", name, value);
}

std::vector<Fact> facts_of(const std::string& environment) {
  std::vector<Fact> facts;
  std::istringstream lines(environment);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos) facts.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return facts;
}

const std::string* value_of(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& fact : facts) {
    if (fact.first == name) return &fact.second;
  }
  return nullptr;
}

}  // namespace

std::string environment_of(const runners::MachineFacts& facts, const std::string& toolchain) {
  std::string text = line_of("kernel", facts.kernel.empty() ? "unknown" : facts.kernel);
  text += line_of("processor", said(facts.cpu_model));
  text += line_of("microcode", said(facts.microcode));
  text += line_of("governor", said(facts.governor));
  text += line_of("turbo", said(facts.turbo));
  text += line_of("SMT", said(facts.smt));
  text += line_of("number of processors", std::to_string(facts.processors));
  std::istringstream tools(toolchain);
  for (std::string tool; std::getline(tools, tool);) {
    const auto colon = tool.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = tool.substr(0, colon);
    text +=
        line_of(name == "libraries" ? "set of linked libraries" : "program " + name, tool.substr(colon + 2));
  }
  return text;
}

std::vector<std::string> environment_changes(const std::string& before, const std::string& now) {
  std::vector<std::string> changes;
  const auto known = facts_of(before);
  for (const auto& [name, value] : facts_of(now)) {
    const std::string* old = value_of(known, name);
    if (old == nullptr || *old == value) continue;
    changes.push_back(fmt::format("the {} changed from {} to {}", name, *old, value));
  }
  return changes;
}

std::string environment_mark(const std::string& environment) {
  return environment.empty() ? std::string() : sha256_of(environment).substr(0, mark_digits);
}

std::string known_environment(const store::Store& store) {
  return store.environment(host_facts_name).value_or("");
}

std::vector<std::string> note_environment(store::Store& store, const std::string& watch,
                                          const std::string& now_facts, std::int64_t at) {
  const std::string before = known_environment(store);
  if (before == now_facts) return {};
  const auto changes = environment_changes(before, now_facts);
  // The events first: a crash in between repeats them, and none is lost.
  for (const std::string& sentence : changes) store.add_event({watch, "environment", sentence, at});
  store.set_environment(host_facts_name, now_facts);
  return changes;
}

}  // namespace tandem::daemon
