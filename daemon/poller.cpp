#include "daemon/poller.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

using builders::Commit;
using builders::Repository;

/// The line with its first commit included.
std::vector<Commit> line_from(const Repository& repository, const std::string& tip, const Commit& start) {
  auto commits = repository.first_parents(tip, start.first_parent);
  // A start on a side branch has a first parent on the line without lying on it itself.
  if (!commits || commits->empty() || commits->front().id != start.id) return {};
  return std::move(*commits);
}

}  // namespace

std::string first_commit(const Repository& repository, const std::string& tip, const WalkPolicy& policy) {
  if (!policy.commit.empty()) {
    const auto commit = repository.find(policy.commit);
    if (!commit) {
      throw InputError(fmt::format("there is no commit {}; give a hash, a tag or a branch", policy.commit));
    }
    if (line_from(repository, tip, *commit).empty()) {
      throw InputError(
          fmt::format("the commit {} is not on the first-parent line of the branch", policy.commit));
    }
    return commit->id;
  }
  const auto all = repository.first_parents(tip);
  if (!all || all->empty()) throw Error("the branch has no commits");
  return all->size() > policy.window ? (*all)[all->size() - policy.window].id : all->front().id;
}

std::vector<std::size_t> positions_to_examine(const Line& line, const std::set<std::string>& done,
                                              std::size_t step) {
  std::size_t next = 0;
  for (std::size_t at = 0; at < line.commits.size(); ++at) {
    if (done.contains(line.commits[at].id)) next = at + step;
  }
  std::vector<std::size_t> todo;
  for (std::size_t at = next; at < line.commits.size(); at += step) todo.push_back(at);
  const std::size_t newest = line.commits.size() - 1;
  if (!done.contains(line.commits[newest].id) && (todo.empty() || todo.back() != newest))
    todo.push_back(newest);
  return todo;
}

Round plan_round(const Repository& repository, const std::string& tip, const std::string& start,
                 const std::set<std::string>& done, const WalkPolicy& policy, std::int64_t now) {
  Round round;
  std::vector<Commit> commits;
  if (const auto first = repository.find(start)) commits = line_from(repository, tip, *first);
  if (commits.empty()) {
    const auto base = repository.merge_base(start, tip);
    const auto first = base ? repository.find(*base) : std::nullopt;
    if (first) commits = line_from(repository, tip, *first);
    if (commits.empty()) {
      const auto fresh = repository.find(first_commit(repository, tip, {{}, policy.step, policy.window}));
      commits = line_from(repository, tip, *fresh);
      round.notice = "the branch was replaced by one without a common commit; the walk begins anew";
    } else {
      round.notice = fmt::format("the branch was rewritten; the walk goes on from {}", first->id);
    }
  }
  round.line = make_line(std::move(commits), now);
  round.todo = positions_to_examine(round.line, done, policy.step);
  return round;
}

}  // namespace tandem::daemon
