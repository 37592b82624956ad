// How each benchmark is measured on this host, and the spreads of its screens by which that is checked.
#include <algorithm>

#include "daemon/records/verdict_json.hpp"
#include "daemon/store/database.hpp"

namespace tandem::daemon::store {

namespace {

/// The name stands in a column of its own, because JSON holds no bytes that are not UTF-8.
analysis::Calibration calibration_from(const std::string& benchmark, const std::string& text) {
  analysis::Calibration calibration = report::calibration_from_line(text);
  calibration.benchmark = benchmark;
  return calibration;
}

}  // namespace

void Store::save_calibration(const WatchKey& key, const analysis::Calibration& calibration) {
  database_->write([&] {
    Query(database_->prepared(
              "REPLACE INTO calibration (scope, benchmark, host, at, calibration) VALUES (?, ?, ?, ?, ?)"))
        .with(database_->scope(key))
        .with(calibration.benchmark)
        .with(calibration.host)
        .with(calibration.at)
        .with(report::calibration_line(calibration))
        .run();
  });
}

std::optional<analysis::Calibration> Store::calibration(const WatchKey& key,
                                                        const std::string& benchmark) const {
  std::optional<analysis::Calibration> found;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT calibration FROM calibration JOIN scope ON scope.id = calibration.scope "
                            "WHERE watch = ? AND platform = ? AND benchmark = ?"));
    if (query.with(key).with(benchmark).next()) found = calibration_from(benchmark, query.text(0));
  });
  return found;
}

std::vector<StoredCalibration> Store::calibrations(const std::optional<WatchKey>& key) const {
  std::vector<StoredCalibration> found;
  database_->read([&] {
    Query query(
        database_->prepared("SELECT watch, platform, benchmark, calibration FROM calibration "
                            "JOIN scope ON scope.id = calibration.scope WHERE (?1 IS NULL OR watch = ?1) AND "
                            "(?2 IS NULL OR platform = ?2) ORDER BY position"));
    query.with_or_null(key ? std::optional(key->watch) : std::nullopt)
        .with_or_null(key ? std::optional(key->platform) : std::nullopt);
    while (query.next()) {
      found.push_back({{query.text(0), query.text(1)}, calibration_from(query.text(2), query.text(3))});
    }
  });
  return found;
}

std::vector<double> Store::newest_sigmas(const WatchKey& key, const std::string& benchmark,
                                         const std::string& metric, std::int64_t since,
                                         std::size_t newest) const {
  std::vector<double> sigmas;
  database_->read([&] {
    Query query(database_->prepared(
        "SELECT verdict FROM verdict JOIN scope ON scope.id = verdict.scope WHERE watch = ? AND platform = ? "
        "AND benchmark = ? AND metric = ? AND outcome IN ('unchanged', 'inconclusive', 'slower', 'faster') "
        "AND at > ? "
        "ORDER BY position DESC LIMIT ?"));
    query.with(key).with(benchmark).with(metric).with(since).with(limit(newest));
    while (query.next()) {
      // A few launches have hardly a spread, and that of the totals is another.
      constexpr std::size_t fewest_launches = 6;
      const auto verdict = report::verdict_from_text(query.text(0));
      if (verdict.launches >= fewest_launches && !verdict.decided_by_total) sigmas.push_back(verdict.sigma);
    }
  });
  return sigmas;
}

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
        .with(analysis::name_of(screen.outcome))
        .with(screen.evidence)
        .with(screen.at)
        .run();
    Query(database_->prepared("DELETE FROM null_screen WHERE at < ?"))
        .with(screen.at - null_screens_kept_seconds)
        .run();
  });
}

}  // namespace tandem::daemon::store
