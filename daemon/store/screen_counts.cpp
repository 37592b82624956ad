// How often screens found a change, of commits and of equal builds, and the margin they were judged with.
#include <algorithm>

#include "daemon/report/verdict_text.hpp"
#include "daemon/store/database.hpp"

namespace tandem::daemon::store {
namespace {

/// Twice as long as they are looked at.
constexpr std::int64_t null_screens_kept_seconds = 60 * 24 * 60 * 60;

/// A screen that came to an end of its own.
constexpr std::string_view ended = "outcome IN ('slower', 'faster', 'unchanged', 'inconclusive')";

std::size_t count(const Query& row, int column) {
  return static_cast<std::size_t>(row.number(column));
}

/// Rows, those with a change and the oldest time of a table with `outcome` and `at`.
std::string counting(const char* table) {
  return "SELECT count(*), coalesce(sum(outcome IN ('slower', 'faster')), 0), coalesce(min(at), 0) FROM " +
         std::string(table) + " WHERE at >= ? AND " + std::string(ended);
}

}  // namespace

std::optional<double> Store::newest_margin(const WatchKey& key, const std::string& benchmark,
                                           const std::string& metric) const {
  std::optional<double> margin;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT verdict FROM verdict JOIN scope ON scope.id = verdict.scope WHERE watch = ? AND platform = ? "
        "AND benchmark = ? AND metric = ? AND " +
        std::string(ended) + " ORDER BY position DESC LIMIT 1"));
    if (query.with(key).with(benchmark).with(metric).next()) {
      margin = report::verdict_from_text(query.text(0)).margin;
    }
  });
  return margin;
}

ScreenCounts Store::screen_counts(std::int64_t since) const {
  ScreenCounts counts;
  database_->read([&] {
    std::int64_t first_null = 0;
    {
      Query query(database_->prepared(counting("verdict")));
      if (query.with(since).next()) {
        counts.screens = count(query, 0);
        counts.suspects = count(query, 1);
        counts.first_at = query.number(2);
      }
    }
    {
      Query query(database_->prepared(counting("null_screen")));
      if (query.with(since).next()) {
        counts.null_screens = count(query, 0);
        counts.null_suspects = count(query, 1);
        first_null = query.number(2);
      }
    }
    if (counts.null_screens > 0) {
      counts.first_at = counts.screens > 0 ? std::min(counts.first_at, first_null) : first_null;
    }
  });
  for (const RecordKind kind : {RecordKind::not_reproduced, RecordKind::layout}) {
    for (const Record& record : records({std::nullopt, std::nullopt, kind, std::nullopt})) {
      database_->read([&] {
        Query query(database_->prepared(
            "SELECT count(*) FROM verdict JOIN scope ON scope.id = verdict.scope WHERE watch = ? AND "
            "platform = ? AND commit_hash = ? AND benchmark = ? AND metric = ? AND at >= ? AND "
            "outcome IN ('slower', 'faster')"));
        query.with(record.key).with(record.treatment.id).with(record.benchmark).with(record.metric.name);
        if (query.with(since).next()) counts.false_suspects += count(query, 0);
      });
    }
  }
  return counts;
}

void Store::add_null_screen(const WatchKey& key, const NullScreen& screen) {
  database_->write([&] {
    Query(database_->prepared(
              "INSERT INTO null_screen (scope, benchmark, outcome, evidence, at) VALUES (?, ?, ?, ?, ?)"))
        .with(database_->scope(key))
        .with(screen.benchmark)
        .with(screen.outcome)
        .with(screen.evidence)
        .with(screen.at)
        .run();
    Query(database_->prepared("DELETE FROM null_screen WHERE at < ?"))
        .with(screen.at - null_screens_kept_seconds)
        .run();
  });
}

}  // namespace tandem::daemon::store
