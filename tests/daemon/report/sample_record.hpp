#pragma once

#include <string>

#include "daemon/records/record.hpp"

namespace tandem::tests {

/// Records with fixed numbers in which every field has a value of its own.
[[nodiscard]] daemon::Record sample_regression();
[[nodiscard]] daemon::Record sample_fixed();
[[nodiscard]] daemon::Record sample_improvement();
[[nodiscard]] daemon::Record sample_accumulated();
[[nodiscard]] daemon::Record sample_not_reproduced();
/// With everything that comes later in a life: a search, re-tests, a part that was fixed.
[[nodiscard]] daemon::Record sample_partly_fixed();
/// Seen in the shipped layout of two later commits.
[[nodiscard]] daemon::Record sample_layout();
/// Of a metric of which more is better.
[[nodiscard]] daemon::Record sample_throughput();
/// Everything that comes from outside is written to break the page.
[[nodiscard]] daemon::Record sample_hostile();

[[nodiscard]] builders::Commit sample_commit(char digit, const std::string& subject);

/// Field by field; doubles bit for bit.
void expect_same(const analysis::RatioInterval& found, const analysis::RatioInterval& wanted);
void expect_same(const analysis::Verdict& found, const analysis::Verdict& wanted);
void expect_same(const daemon::Record& found, const daemon::Record& wanted);

}  // namespace tandem::tests
