#include "daemon/idle/status_facts.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/error_budget.hpp"
#include "daemon/idle/anchors.hpp"
#include "daemon/records/wording.hpp"

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

}  // namespace tandem::daemon
