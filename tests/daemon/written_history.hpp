#pragma once

#include <string>

namespace tandem::tests {

/// A history written down as a script, walked with the real rules of control, level and life and a perfect
/// judge that knows what every commit costs (margin 1 %). One line each:
///
///   c2 w1 a=110 b=50    a commit of week 1 and what its benchmarks cost; one that is not there is missing
///   … broken            it does not build
///   … skipped           it is stepped over and only measured when a culprit is searched
///   … a=100/110         the judge errs once: it sees 110 when it examines this commit
///   … reverts=c1        its message says so; undoes=c1: its change is the opposite; same=c1: it is the same
///   … side              it belongs to a side branch that no later commit comes from
///   accept c2 a         a person's word, also false_alarm, acknowledge, reopen
///   retest c2 a         of the record: the newest commit against the culprit's parent; the outcome is judged
///   rewrite c1          the branch now ends with c1, followed by the commits of the next lines
///
/// Gives, for each benchmark, every examined commit with its control, and at last the level; then the records
/// in the order of their making.
[[nodiscard]] std::string walk_written(const std::string& script);

/// A script and all that is to come of it: "c2<c0" is c2 judged against c0.
struct History {
  const char* name;
  const char* script;
  const char* expected;
};

}  // namespace tandem::tests
