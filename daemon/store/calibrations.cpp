// How each benchmark is measured on this host, and the spreads of its screens by which that is checked.
#include "daemon/report/calibration_report.hpp"
#include "daemon/report/verdict_text.hpp"
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

}  // namespace tandem::daemon::store
