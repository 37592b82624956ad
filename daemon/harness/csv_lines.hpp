#pragma once

#include <string>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// The names of the columns, in one line:
///
///     id, time, run_type, platform, framework, backend, model, metric_group, identifier, commit,
///     commit_time, control_commit, type, metric, unit, values, launches, mean … cv, control_mean …
///     control_cv, diff_mean … diff_cv   (the usual statistics), further ("p99=1.25 p99.9=1.5"), verdict,
///     ratio, low, high, regressed, failure
///
/// Times are ISO 8601 in UTC, `values` is their number, `metric_group` FAI-PEP's metric of the test. What
/// does not exist is empty. Numbers have all their digits.
[[nodiscard]] std::string csv_heading();

/// One line for each series, quoted as in RFC 4180 where that is needed, ended by "\n". A run without series
/// has one line too, with its failure.
[[nodiscard]] std::string csv_lines(const RunRecord& record);

}  // namespace tandem::daemon::harness
