#include "builders/hg/repository.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <unordered_set>

#include "builders/checkout_files.hpp"
#include "builders/hg/mirror.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;
using checkout_files::FileTimes;
using checkout_files::refuse;
using checkout_files::refuse_difference;
using checkout_files::refuse_errno;
using hg::History;
using runners::Finished;
using CheckoutKind = CheckoutFailure::Kind;
using Paths = std::unordered_set<std::string>;

constexpr std::size_t longest_shown_path = 500;
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
    files.insert(printable(rest.substr(0, end), longest_shown_path));
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

/// What the arguments make hg print. Throws CheckoutRefusal.
std::string output_of_hg(hg::Call call, const std::string& commit, const std::stop_token& stop) {
  Finished finished = hg::run(call, stop);
  if (finished.succeeded()) return std::move(finished.output);
  checkout_files::refuse_if_stopped(stop);
  if (finished.how == Finished::How::flooded)
    refuse(CheckoutKind::too_large, "the commit holds too many files");
  const std::string why = hg::reason(finished);
  const auto tells = [&](const char* words) { return why.find(words) != std::string::npos; };
  if (tells("missing processor for flag")) {
    refuse(CheckoutKind::large_files,
           "Mercurial's lfs is not supported: the commit holds only pointers to content");
  }
  const bool disk = tells("No space left") || tells("quota") || tells("Permission denied");
  refuse(disk ? CheckoutKind::disk : CheckoutKind::corrupt,
         fmt::format("commit {} cannot be written out: {}", commit, why));
}

void check_path(const std::string& path, const Paths& all) {
  checkout_files::check_depth(static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')));
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    // A file, perhaps a link, must not be a directory as well.
    const bool is_file_too = end < path.size() && all.contains(path.substr(0, end));
    checkout_files::check_name(is_file_too ? "" : path.substr(begin, end - begin), path, {".git", ".hg"});
    begin = end + 1;
  }
  if (path.starts_with(".hglf/")) {
    refuse(CheckoutKind::large_files,
           fmt::format("largefiles is not supported: '{}' stands for a large file", printable(path, 500)));
  }
}

/// The files that the commit holds. hg compares what it reads with its ids, but checks paths only when it
/// writes, after others have been written.
Paths checked_paths(const fs::path& mirror, const std::string& commit, const std::stop_token& stop) {
  hg::Call call;
  call.arguments = {"--hidden", "-R", mirror, "manifest", "--rev", commit, "--template", "{path}\\0"};
  const std::string listing = output_of_hg(call, commit, stop);
  Paths paths;
  for (std::string_view rest = listing; !rest.empty();) {
    const auto end = std::min(rest.find('\0'), rest.size() - 1);
    paths.emplace(rest.substr(0, end));
    checkout_files::check_count(paths.size());
    rest.remove_prefix(end + 1);
  }
  for (const std::string& path : paths) check_path(path, paths);
  return paths;
}

void archive(const fs::path& mirror, const std::string& commit, const fs::path& directory,
             const std::stop_token& stop) {
  hg::Call call;
  // As the working directory, because hg would expand percent signs in the name of a target.
  call.directory = directory;
  call.arguments = {
      "--config", "ui.archivemeta=false", "--hidden", "-R", mirror, "archive", "--rev", commit, "--type",
      "files",    "--no-decode",          "--",       "."};
  output_of_hg(call, commit, stop);
}

void refuse_subrepositories(int top) {
  const OwnedDescriptor state(::openat(top, ".hgsubstate", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  char line[600];
  const ssize_t got = state.get() < 0 ? 0 : ::read(state.get(), line, sizeof line);
  if (got <= 0) return;  // there are none, or none any more
  const std::string_view text(line, static_cast<std::size_t>(got));
  const std::string_view first = text.substr(0, text.find('\n'));
  refuse(CheckoutKind::submodules,
         fmt::format("subrepositories are not supported: the commit holds one at '{}'",
                     printable(first.substr(std::min(first.find(' ') + 1, first.size())), 500)));
}

/// Sets modes and times of what hg wrote and takes it off `paths`, which must hold all of it.
void finish_files(int directory, const std::string& path, const FileTimes& times, Paths& paths,
                  const std::stop_token& stop) {
  for (const std::string& name : checkout_files::names_in(directory, path)) {
    checkout_files::refuse_if_stopped(stop);
    const std::string at = path + name;
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) refuse_errno("look at", at);
    if (S_ISDIR(status.st_mode)) {
      const OwnedDescriptor inner = checkout_files::open_directory(directory, name, at);
      if (::fchmod(inner.get(), 0755) != 0) refuse_errno("set the mode of", at);
      finish_files(inner.get(), at + "/", times, paths, stop);
      continue;
    }
    if (paths.erase(at) == 0) refuse_difference(at);
    if (S_ISLNK(status.st_mode)) {
      checkout_files::set_link_times(directory, name, times, at);
      continue;
    }
    const OwnedDescriptor file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.get() < 0) refuse_errno("open", at);
    const bool executable = (status.st_mode & S_IXUSR) != 0;
    if (::fchmod(file.get(), executable ? 0755 : 0644) != 0) refuse_errno("set the mode of", at);
    checkout_files::set_times(file.get(), times, at);
  }
  checkout_files::set_times(directory, times, path);
}

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
  const auto fitting = history_.beginning_with(lower_case(name));
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
  std::vector<ListedCommit> listed;
  std::vector<std::size_t> places(wanted.size(), History::none);
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (!wanted[at]) continue;
    places[at] = listed.size();
    ListedCommit& commit = listed.emplace_back(ListedCommit{history_.commit(at), {}});
    for (int i = 0; i < 2; ++i) {
      const std::size_t parent = history_.parents(at)[i];
      if (parent != History::none && wanted[parent]) commit.parents.push_back(places[parent]);
    }
  }
  return parents_first(std::move(listed));
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

std::optional<CheckoutFailure> HgRepository::checkout(const Commit& commit, const fs::path& empty_directory,
                                                      const std::stop_token& stop) const {
  try {
    const OwnedDescriptor top = checkout_files::open_top(empty_directory);
    // hg would overwrite what is there, and follow links.
    if (!checkout_files::names_in(top.get(), empty_directory).empty()) {
      refuse(CheckoutKind::corrupt, fmt::format("the directory '{}' is not empty", empty_directory.string()));
    }
    if (!hg::is_node(commit.id)) {
      refuse(CheckoutKind::corrupt, fmt::format("'{}' is not a full commit id", printable(commit.id, 80)));
    }
    Paths paths = checked_paths(mirror_, commit.id, stop);
    if (!paths.empty())
      archive(mirror_, commit.id, empty_directory, stop);  // hg fails on a commit without files
    refuse_subrepositories(top.get());
    finish_files(top.get(), "", FileTimes(commit.committer_time), paths, stop);
    if (!paths.empty()) refuse_difference(*paths.begin());
  } catch (const checkout_files::CheckoutRefusal& refusal) {
    return refusal.failure;
  }
  return std::nullopt;
}

}  // namespace tandem::builders
