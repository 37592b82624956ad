#include "daemon/walk/poller.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using builders::Commit;
using builders::Repository;

/// The commits with `start` as the first; empty if it does not lie on the branch.
std::vector<Commit> commits_from(const Repository& repository, const std::string& tip, const Commit& start,
                                 config::Walk which) {
  if (which == config::Walk::all) {
    if (start.id != tip && !repository.is_strict_ancestor(start.id, tip)) return {};
    std::vector<Commit> commits = repository.all_commits(tip, start.id);
    commits.insert(commits.begin(), start);
    return commits;
  }
  auto commits = repository.first_parents(tip, start.first_parent);
  // A start on a side branch has a first parent on the line without lying on it itself.
  if (!commits || commits->empty() || commits->front().id != start.id) return {};
  return std::move(*commits);
}

/// Positions of the commits that carry a tag of this pattern.
std::vector<std::size_t> tagged_positions(const Repository& repository, const Line& line,
                                          const std::string& pattern) {
  std::vector<std::size_t> positions;
  if (pattern.empty()) return positions;
  std::set<std::string> commits;
  for (const auto& [name, commit] : repository.tags()) {
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) commits.insert(commit);
  }
  for (std::size_t at = 0; at < line.commits.size(); ++at) {
    if (commits.contains(line.commits[at].id)) positions.push_back(at);
  }
  return positions;
}

}  // namespace

std::string first_commit(const Repository& repository, const std::string& tip, const WalkPolicy& policy) {
  if (!policy.commit.empty()) {
    const auto commit = repository.find(policy.commit);
    if (!commit) {
      throw InputError(fmt::format("there is no commit {}; give a hash, a tag or a branch", policy.commit));
    }
    if (commits_from(repository, tip, *commit, policy.commits).empty()) {
      throw InputError(fmt::format("the commit {} is not on the {} of the branch", policy.commit,
                                   policy.commits == config::Walk::all ? "history" : "first-parent line"));
    }
    return commit->id;
  }
  const auto all = repository.first_parents(tip);
  if (!all || all->empty()) throw Error("the branch has no commits");
  return all->size() > policy.window ? (*all)[all->size() - policy.window].id : all->front().id;
}

std::vector<std::size_t> positions_to_examine(const Line& line, const std::set<std::string>& done,
                                              const WalkPolicy& policy) {
  const std::size_t newest = line.commits.size() - 1;
  const std::size_t step = policy.catch_up == config::CatchUp::newest ? line.commits.size() : policy.step;
  // With longer steps, what lies before an examined commit was stepped over and stays so.
  std::vector<std::size_t> examined;
  for (std::size_t at = 0; at < line.commits.size() && step > 1; ++at) {
    if (done.contains(line.commits[at].id)) examined.push_back(at);
  }
  const auto was_passed = [&](std::size_t at) {
    return std::any_of(examined.begin(), examined.end(),
                       [&](std::size_t later) { return line.leads_to(at, later); });
  };
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < line.commits.size(); ++at) {
    if (!done.contains(line.commits[at].id)) {
      if (!was_passed(at)) open.push_back(at);
    } else if (policy.commits == config::Walk::first_parent) {
      open.clear();
    }
  }
  // After an examined commit the first step leads to the step-th one, at the beginning to the first.
  const bool begun = open.size() < line.commits.size();
  std::vector<std::size_t> todo;
  for (std::size_t at = begun ? step - 1 : 0; at < open.size(); at += step) todo.push_back(open[at]);
  if (!done.contains(line.commits[newest].id) && (todo.empty() || todo.back() != newest))
    todo.push_back(newest);
  return todo;
}

Round plan_round(const Repository& repository, const std::string& tip, const std::string& start,
                 const std::set<std::string>& done, const WalkPolicy& policy, std::int64_t now,
                 const FirstSeen& seen) {
  Round round;
  std::vector<Commit> commits;
  const auto from = [&](const Commit& first) { return commits_from(repository, tip, first, policy.commits); };
  if (const auto first = repository.find(start)) commits = from(*first);
  if (commits.empty()) {
    const auto base = repository.find(start) ? repository.merge_base(start, tip) : std::nullopt;
    const auto first = base ? repository.find(*base) : std::nullopt;
    if (first) commits = from(*first);
    if (commits.empty()) {
      WalkPolicy anew = policy;
      anew.commit.clear();
      commits = from(repository.find(first_commit(repository, tip, anew)).value());
      round.notice = "the branch was replaced by one without a common commit; the walk begins anew";
    } else {
      round.notice = fmt::format("the branch was rewritten; the walk goes on from {}", first->id);
    }
  }
  round.line = make_line(std::move(commits), now, seen);
  round.line.tagged = tagged_positions(repository, round.line, policy.tags);
  if (policy.commits == config::Walk::all) {
    std::vector<std::string> ids;
    for (const Commit& commit : round.line.commits) ids.push_back(commit.id);
    round.line.is_ancestor = [&repository, ids = std::move(ids)](std::size_t one, std::size_t other) {
      return repository.is_strict_ancestor(ids.at(one), ids.at(other));
    };
  }
  round.todo = positions_to_examine(round.line, done, policy);
  return round;
}

}  // namespace tandem::daemon
