#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/records/record.hpp"

// How the reports of this folder say numbers, commits and changes.
namespace tandem::daemon::report {

/// A share without its sign: "8.1 %", below one per cent with a digit more: "0.62 %".
[[nodiscard]] std::string percentage(double share);

/// "ratio 1.0810, 95 % interval 1.0752 to 1.0868"; says so if there is no interval.
[[nodiscard]] std::string ratio_phrase(const analysis::RatioInterval& ratio);

/// "8.1 % slower", or of a metric that is no time "8.1 % higher memory".
[[nodiscard]] std::string change_phrase(const specs::Metric& metric, double ratio);

/// A benchmark's name, followed by its metric unless that is the time or already the end of the name.
[[nodiscard]] std::string series_name(const std::string& benchmark, const specs::Metric& metric);

/// Whether a change is said with "slower" and "faster": the metric is a time, and less of it is better.
[[nodiscard]] bool is_time(const specs::Metric& metric);

/// The ratio that the record is about: the confirmation's; of a suspect that was not reproduced, the
/// screen's.
[[nodiscard]] double reported_ratio(const Record& record);

/// The record's state in a person's words: "open", "dismissed: accepted", "partly fixed, +2.1 % left".
[[nodiscard]] std::string state_words(const Record& record);

/// The commit that fixed it or a part of it, empty if the record is not fixed or no commit is named.
[[nodiscard]] std::string fixing_commit(const Record& record);

/// The commit after which a change has accumulated; up to the culprit.
[[nodiscard]] std::string range_begin(const Record& record);

/// The first 8 digits.
[[nodiscard]] std::string short_commit(std::string_view commit);

/// The words as one line for a POSIX shell, quoted where needed.
[[nodiscard]] std::string shell_command(const std::vector<std::string>& words);

}  // namespace tandem::daemon::report
