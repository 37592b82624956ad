#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "daemon/records/run_record.hpp"

// Results as files. What writes throws Error.
namespace tandem::daemon::harness {

/// One component of a path for any text: never empty, hidden, "..", or with a slash in it.
///
/// Text of letters, digits, "_", "-", "+" and "." is its own name. Anything else is spelled as FAI-PEP spells
/// it (spaces, slashes and colons become "-", the rest vanishes), followed by "~" and a digest of the text,
/// so that two texts never share a name.
[[nodiscard]] std::string safe_name(std::string_view text);

/// The same for a key of results, "NET-latency" as FAI-PEP writes "NET latency". Never "meta".
[[nodiscard]] std::string safe_key_name(std::string_view type, std::string_view metric);

/// Adds whole lines to a file that several processes write to: one at a time, by one write. An empty file is
/// given `heading` first; one that begins with another line than `heading` is refused. A line that a crash
/// cut off is ended, and after a full disk the file is as long as before.
void append_lines(const std::filesystem::path& file, const std::string& lines, const std::string& heading);

/// FAI-PEP's tree: PLATFORM/FRAMEWORK/MODEL/METRIC/IDENTIFIER/YEAR/MONTH/DAY/COMMIT/NUMBER, with one file for
/// each key ("NET-latency.txt") and meta.txt. The day is the commit's in UTC, or the run's if the commit has
/// no time. The number is the first free one, also among several writers, and the directory appears under it
/// only when it is complete. Gives its path.
std::filesystem::path write_local(const std::filesystem::path& directory, const RunRecord& record);

/// IDENTIFIER/data.txt, replaced as a whole; nothing else in there is touched. Gives its path.
std::filesystem::path write_simple_local(const std::filesystem::path& directory, const RunRecord& record);

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
