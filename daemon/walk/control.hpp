#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "builders/commit.hpp"
#include "config/settings.hpp"
#include "daemon/records/record.hpp"

namespace tandem::daemon {

/// The commits of a branch from the start of the walk to its tip, parents before children, with the week of
/// each: its first-parent line, or all of them.
struct Line {
  std::vector<builders::Commit> commits;
  std::vector<std::int64_t> weeks;  ///< whole weeks since Monday 1970-01-05 00:00 UTC
  std::vector<std::size_t> tagged;  ///< positions of commits with a tag that counts, ascending
  /// Whether the first position is an ancestor of the second. Empty: the line is straight, all earlier ones
  /// are. Not so where the commits of merged branches are walked too.
  std::function<bool(std::size_t, std::size_t)> is_ancestor;

  [[nodiscard]] std::optional<std::size_t> position(const std::string& id) const;
  [[nodiscard]] bool leads_to(std::size_t ancestor, std::size_t descendant) const;
};

/// When commits that are dated in the future were first seen, by commit.
using FirstSeen = std::map<std::string, std::int64_t>;

/// Weeks by committer time, never going back along the line and never after the commit was first seen, which
/// is `now` where `seen` does not say: clocks of committers may be wrong, the order of commits is not. The
/// week of a commit must not move with `now`, or all after one from the future would stay in its week.
[[nodiscard]] Line make_line(std::vector<builders::Commit> commits, std::int64_t now,
                             const FirstSeen& seen = {});

/// The commits of the line that are dated after `now` and not known to `seen` yet.
[[nodiscard]] std::vector<std::string> dated_after(const Line& line, std::int64_t now, const FirstSeen& seen);

/// L(b): the latest commit before the treatment, and leading to it, at which a confirmed step of the
/// benchmark was seen. `records` are those of one benchmark and metric. A step counts as long as it stands:
/// not one dismissed as a false alarm or superseded; an accepted one does. Where the commit at which it was
/// seen is gone from the line, its culprit's place counts. `treatment` may be one past the end.
[[nodiscard]] std::optional<std::size_t> level_before(const Line& line, std::size_t treatment,
                                                      std::span<const Record> records);

/// What one benchmark knows of the commits before it.
struct ControlQuestion {
  std::size_t treatment = 0;
  std::function<bool(std::size_t)> usable;  ///< examined, builds, has the benchmark, leads to the treatment
  std::optional<std::size_t> level;  ///< L(b): the last confirmed step; if unusable, the next usable one
  std::optional<std::size_t> base;   ///< base_commit
};

/// The control by one of the rules; nothing: there is no commit to compare with.
///
/// `week`: the latest of {first usable commit of the treatment's week, L(b), base_commit} that lies before
/// the treatment. The first commit of a week is judged against the first of its parent's week. Where none of
/// these exists, the first usable commit of the line.
///
/// `fixed`: the latest of {base_commit, L(b)} before the treatment: without the level every commit after a
/// regression would be found slower again. In place of a base without the benchmark, the first commit after
/// it that has it.
///
/// `tag`: the latest of {last tagged usable commit, L(b)} before the treatment; before the first tag, the
/// first usable commit of the line.
///
/// `parent`: the nearest usable commit before the treatment.
[[nodiscard]] std::optional<std::size_t> control_by(config::ControlRule rule, const Line& line,
                                                    const ControlQuestion& question);

}  // namespace tandem::daemon
