#include "builders/hg_repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <sstream>
#include <tuple>

#include "builders/hg_program.hpp"
#include "builders/printable.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

using hg::History;

constexpr std::size_t most_commits = 10'000'000;

}  // namespace

HgRepository::HgRepository(const std::filesystem::path& mirror)
    : mirror_(std::filesystem::absolute(mirror)),
      tips_(hg::read_tips(mirror_)),
      history_(hg::read_history(mirror_)) {}

std::size_t HgRepository::position(const std::string& id) const {
  const auto found = history_.find(id);
  if (!found) {
    throw Error(
        fmt::format("the mirror '{}' has no commit with the id '{}'", mirror_.string(), printable(id, 80)));
  }
  return *found;
}

std::map<std::string, std::string> HgRepository::tags() const {
  if (tags_) return *tags_;
  hg::Call call;
  call.arguments = {"-R", mirror_, "tags", "--template", "{node} {tag}\\n"};
  std::istringstream lines(hg::run_or_throw(call, "list the tags of the mirror"));
  tags_.emplace();
  for (std::string line; std::getline(lines, line);) {
    constexpr std::size_t digits = 40;
    // hg calls the newest commit a tag of the name tip.
    if (line.size() <= digits + 1 || line.substr(digits + 1) == "tip") continue;
    if (history_.find(line.substr(0, digits)))
      tags_->emplace(line.substr(digits + 1), line.substr(0, digits));
  }
  return *tags_;
}

std::optional<std::string> HgRepository::tip(const std::string& branch) const {
  const auto found = tips_.find(branch);
  return found == tips_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Commit> HgRepository::find(const std::string& name) const {
  if (const auto found = tips_.find(name); found != tips_.end()) {
    return history_.commit(position(found->second));
  }
  if (const auto found = history_.find(name)) return history_.commit(*found);
  if (name.empty()) return std::nullopt;
  const auto all_tags = tags();
  if (const auto found = all_tags.find(name); found != all_tags.end()) {
    return history_.commit(position(found->second));
  }
  constexpr std::size_t shortest = 4;
  if (name.size() < shortest) return std::nullopt;
  std::string digits = name;
  std::transform(digits.begin(), digits.end(), digits.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const auto fitting = history_.beginning_with(digits);
  if (fitting.size() > 1) {
    throw InputError(fmt::format("'{}' is the beginning of more than one commit; give more digits", name));
  }
  return fitting.empty() ? std::nullopt : std::optional(history_.commit(fitting.front()));
}

std::optional<std::vector<Commit>> HgRepository::first_parents(const std::string& tip,
                                                               const std::string& after) const {
  // An `after` that the mirror does not hold is not on the line either.
  const auto last = after.empty() ? std::optional(History::none) : history_.find(after);
  if (!last) return std::nullopt;
  std::vector<Commit> commits;
  for (std::size_t at = position(tip); at != *last; at = history_.first_parent(at)) {
    if (at == History::none) return std::nullopt;
    commits.push_back(history_.commit(at));
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

std::vector<Commit> HgRepository::all_commits(const std::string& tip, const std::string& after) const {
  std::vector<bool> wanted = history_.reachable(position(tip));
  if (!after.empty()) {
    const std::vector<bool> known = history_.reachable(position(after));
    for (std::size_t at = 0; at < wanted.size(); ++at) wanted[at] = wanted[at] && !known[at];
  }
  // Of the commits whose parents are all listed, the oldest comes next.
  using Next = std::tuple<std::int64_t, std::string_view, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
  std::vector<std::vector<std::size_t>> children(wanted.size());
  std::vector<int> waiting(wanted.size(), 0);
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (!wanted[at]) continue;
    for (int i = 0; i < 2; ++i) {
      const std::size_t parent = history_.parents(at)[i];
      if (parent == History::none || !wanted[parent]) continue;
      children[parent].push_back(at);
      ++waiting[at];
    }
    if (waiting[at] == 0) ready.emplace(history_.time(at), history_.id(at), at);
  }
  std::vector<Commit> commits;
  while (!ready.empty()) {
    const std::size_t at = std::get<2>(ready.top());
    ready.pop();
    commits.push_back(history_.commit(at));
    if (commits.size() > most_commits) throw Error("the branch has more than ten million commits");
    for (const std::size_t child : children[at]) {
      if (--waiting[child] == 0) ready.emplace(history_.time(child), history_.id(child), child);
    }
  }
  return commits;
}

std::optional<std::size_t> HgRepository::first_parent_distance(const std::string& ancestor,
                                                               const std::string& descendant) const {
  const std::size_t wanted = position(ancestor);
  std::size_t at = position(descendant);
  for (std::size_t steps = 0; at != History::none; ++steps) {
    if (at == wanted) return steps;
    at = history_.first_parent(at);
  }
  return std::nullopt;
}

bool HgRepository::is_strict_ancestor(const std::string& ancestor, const std::string& descendant) const {
  const std::size_t below = position(ancestor);
  const std::size_t above = position(descendant);
  return below < above && history_.reachable(above)[below];
}

std::optional<std::string> HgRepository::merge_base(const std::string& one, const std::string& other) const {
  const std::vector<bool> first = history_.reachable(position(one));
  const std::vector<bool> second = history_.reachable(position(other));
  // Children stand after their parents: no common ancestor descends from the last one.
  for (std::size_t at = first.size(); at-- > 0;) {
    if (first[at] && second[at]) return std::string(history_.id(at));
  }
  return std::nullopt;
}

std::map<std::string, std::string> HgRepository::submodule_ids(const std::string&) const {
  return {};  // a commit with subrepositories is not checked out
}

}  // namespace tandem::builders
