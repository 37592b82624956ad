#include "builders/hg/repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <queue>
#include <set>
#include <sstream>
#include <tuple>

#include "builders/hg/program.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

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

namespace {

using hg::History;
using runners::Finished;

constexpr std::size_t longest_branch_name = 500;
constexpr std::size_t largest_diff = std::size_t{64} << 20;
const std::string no_commit(40, '0');

/// Gives nothing if hg prints too much. Throws Error.
std::optional<std::string> printed(hg::Call call, const std::string& commit) {
  call.output_bytes = largest_diff;
  Finished finished = hg::run(call);
  if (finished.how == Finished::How::flooded) return std::nullopt;
  if (!finished.succeeded()) {
    throw Error(fmt::format("cannot read what commit {} changes: {}", commit, hg::reason(finished)));
  }
  return std::move(finished.output);
}

/// A difference in git's form, which knows modes, empty and binary files.
std::optional<std::string> difference(const std::filesystem::path& mirror, const std::string& from,
                                      const std::string& to, const std::string& commit) {
  hg::Call call;
  call.arguments = {"--hidden", "-R", mirror, "diff", "--git", "--rev", from, "--rev", to, "--unified", "3"};
  return printed(call, commit);
}

std::string message_of(const std::filesystem::path& mirror, const std::string& commit) {
  hg::Call call;
  call.arguments = {"--hidden", "-R", mirror, "log", "--rev", commit, "--template", "{desc}"};
  return hg::run_or_throw(call, fmt::format("read commit {}", commit));
}

std::vector<std::string> files_between(const std::filesystem::path& mirror, const std::string& from,
                                       const std::string& to) {
  hg::Call call;
  call.arguments = {"--hidden", "-R",    mirror, "status",      "--rev",
                    from,       "--rev", to,     "--no-status", "--print0"};
  const std::string text = hg::run_or_throw(call, fmt::format("list the files of commit {}", to));
  std::set<std::string> files;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find('\0'), rest.size());
    files.insert(printable(rest.substr(0, end), longest_branch_name));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<std::string> sorted(files.begin(), files.end());
  if (sorted.size() > CommitFacts::most_files) sorted.resize(CommitFacts::most_files);
  return sorted;
}

std::string_view line_of(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

std::string without_space(std::string_view line) {
  std::string dense(line);
  std::erase_if(dense, [](unsigned char c) { return std::isspace(c) != 0; });
  return dense;
}

struct ChangedContent {
  std::size_t lines = 0;
  std::string patch_id;
};

/// As git's patch id: everything counts but line numbers and white space.
ChangedContent changed_content(std::string_view difference) {
  ChangedContent content;
  Sha256 hash;
  bool in_hunks = false;
  while (!difference.empty()) {
    const std::string_view line = line_of(difference);
    // A line inside a hunk begins with one of " +-\".
    if (line.starts_with("diff --git ")) in_hunks = false;
    if (line.starts_with("@@ ")) in_hunks = true;
    if (line.starts_with("@@ ") || line.starts_with("\\")) continue;
    if (in_hunks && (line.starts_with("+") || line.starts_with("-"))) ++content.lines;
    hash.add_field(without_space(line));
  }
  content.patch_id = hash.finish();
  return content;
}

}  // namespace

CommitFacts HgRepository::facts(const std::string& commit) const {
  const std::size_t at = position(commit);
  const std::size_t parent = history_.first_parent(at);
  const std::string before = parent == History::none ? no_commit : std::string(history_.id(parent));

  CommitFacts facts;
  facts.files = files_between(mirror_, before, commit);
  facts.reverts = reverted_ids(message_of(mirror_, commit));
  const auto forward = difference(mirror_, before, commit, commit);
  if (!forward || forward->empty()) return facts;
  const ChangedContent content = changed_content(*forward);
  facts.lines = content.lines;
  if (history_.parents(at)[1] != History::none) return facts;
  // Asked for once more rather than turned round: where several smallest differences exist, the direction
  // decides which one is found.
  const auto backward = difference(mirror_, commit, before, commit);
  if (!backward) return facts;
  facts.patch_id = content.patch_id;
  facts.reverse_patch_id = changed_content(*backward).patch_id;
  return facts;
}

}  // namespace tandem::builders
