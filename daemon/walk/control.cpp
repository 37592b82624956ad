#include "daemon/walk/control.hpp"

#include <algorithm>
#include <utility>

namespace tandem::daemon {
namespace {

constexpr std::int64_t week_seconds = 7 * 24 * 60 * 60;
constexpr std::int64_t first_monday = 4 * 24 * 60 * 60;  // 1970-01-01 was a Thursday

std::int64_t week_of(std::int64_t time) {
  const std::int64_t since = time - first_monday;
  return since >= 0 ? since / week_seconds : -((-since + week_seconds - 1) / week_seconds);
}

/// The first usable commit of the week of the commit at `position`, before `treatment`.
std::optional<std::size_t> first_of_week(const Line& line, std::size_t position,
                                         const ControlQuestion& question) {
  std::size_t first = position;
  while (first > 0 && line.weeks[first - 1] == line.weeks[position]) --first;
  for (std::size_t at = first; at < question.treatment && line.weeks[at] == line.weeks[position]; ++at) {
    if (question.usable(at)) return at;
  }
  return std::nullopt;
}

/// The commit that shows the last confirmed step: its own or, where that cannot serve because the branch was
/// rewritten around it, the first one after it. What lies after it was examined, so it holds no other step.
std::optional<std::size_t> level_of(const ControlQuestion& question) {
  std::optional<std::size_t> level = question.level;
  while (level && *level < question.treatment && !question.usable(*level)) ++*level;
  return level && *level < question.treatment ? level : std::nullopt;
}

}  // namespace

std::optional<std::size_t> Line::position(const std::string& id) const {
  const auto found =
      std::find_if(commits.begin(), commits.end(), [&](const auto& one) { return one.id == id; });
  if (found == commits.end()) return std::nullopt;
  return static_cast<std::size_t>(found - commits.begin());
}

bool Line::leads_to(std::size_t ancestor, std::size_t descendant) const {
  return ancestor < descendant && (!is_ancestor || is_ancestor(ancestor, descendant));
}

Line make_line(std::vector<builders::Commit> commits, std::int64_t now, const FirstSeen& seen) {
  Line line;
  line.commits = std::move(commits);
  std::int64_t latest = INT64_MIN;
  for (const builders::Commit& commit : line.commits) {
    const auto first = seen.find(commit.id);
    latest = std::max(latest, std::min(commit.committer_time, first == seen.end() ? now : first->second));
    line.weeks.push_back(week_of(latest));
  }
  return line;
}

std::vector<std::string> dated_after(const Line& line, std::int64_t now, const FirstSeen& seen) {
  std::vector<std::string> commits;
  for (const builders::Commit& commit : line.commits) {
    if (commit.committer_time > now && !seen.contains(commit.id)) commits.push_back(commit.id);
  }
  return commits;
}

std::optional<std::size_t> level_before(const Line& line, std::size_t treatment,
                                        std::span<const Record> records) {
  std::optional<std::size_t> level;
  for (const Record& record : records) {
    const bool stands = is_step(record.kind) && record.state != RecordState::false_alarm &&
                        record.state != RecordState::superseded;
    if (!stands) continue;
    const auto is_before = [&](std::optional<std::size_t> at) {
      return at && (treatment >= line.commits.size() || line.leads_to(*at, treatment));
    };
    auto at = line.position(record.treatment.id);
    // The branch may have been rewritten after the culprit, or the commit asked for may lie between it and
    // the commit at which it was seen.
    if (!is_before(at)) at = line.position(record.culprit.id);
    if (is_before(at)) level = std::max(level.value_or(0), *at);
  }
  return level;
}

namespace {

std::optional<std::size_t> control_by_week(const Line& line, const ControlQuestion& question) {
  if (question.treatment == 0) return std::nullopt;
  std::optional<std::size_t> latest;
  const auto consider = [&](std::optional<std::size_t> candidate) {
    if (candidate && *candidate < question.treatment && question.usable(*candidate)) {
      latest = std::max(latest.value_or(0), *candidate);
    }
  };
  consider(first_of_week(line, question.treatment, question));
  // Walk back over weeks in which nothing could serve.
  for (std::size_t before = question.treatment; before > 0 && !latest; --before) {
    consider(first_of_week(line, before - 1, question));
  }
  consider(level_of(question));
  consider(question.base);
  return latest;
}

std::optional<std::size_t> control_by_base(const Line& /*line*/, const ControlQuestion& question) {
  std::optional<std::size_t> base = question.base;
  // A benchmark that is younger than the base begins with the first commit that has it.
  while (base && *base < question.treatment && !question.usable(*base)) ++*base;
  const bool before = base && *base < question.treatment;
  const auto level = level_of(question);
  const bool moved = level && (!before || *level > *base);
  return moved ? level : before ? base : std::nullopt;
}

std::optional<std::size_t> control_by_tag(const Line& line, const ControlQuestion& question) {
  ControlQuestion by_tag = question;
  by_tag.base.reset();
  for (const std::size_t at : line.tagged) {
    if (at < question.treatment && question.usable(at)) by_tag.base = at;
  }
  for (std::size_t at = 0; at < question.treatment && !by_tag.base; ++at) {
    if (question.usable(at)) by_tag.base = at;
  }
  return control_by_base(line, by_tag);
}

std::optional<std::size_t> control_by_parent(const Line& /*line*/, const ControlQuestion& question) {
  for (std::size_t before = question.treatment; before > 0; --before) {
    if (question.usable(before - 1)) return before - 1;
  }
  return std::nullopt;
}

using Rule = std::optional<std::size_t> (*)(const Line&, const ControlQuestion&);
constexpr std::pair<config::ControlRule, Rule> rules[] = {
    {config::ControlRule::week, control_by_week},
    {config::ControlRule::parent, control_by_parent},
    {config::ControlRule::fixed, control_by_base},
    {config::ControlRule::tag, control_by_tag},
};

}  // namespace

std::optional<std::size_t> control_by(config::ControlRule rule, const Line& line,
                                      const ControlQuestion& question) {
  for (const auto& [one, control] : rules) {
    if (one == rule) return control(line, question);
  }
  return std::nullopt;
}

}  // namespace tandem::daemon
