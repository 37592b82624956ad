#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "builders/hashes.hpp"
#include "builders/hg_program.hpp"
#include "builders/hg_repository.hpp"
#include "builders/printable.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

using hg::History;
using runners::Finished;

constexpr std::size_t longest_path = 500;
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
    files.insert(printable(rest.substr(0, end), longest_path));
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

struct Content {
  std::size_t lines = 0;
  std::string patch_id;
};

/// As git's patch id: everything counts but line numbers and white space.
Content content_of(std::string_view difference) {
  Content content;
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
  const Content content = content_of(*forward);
  facts.lines = content.lines;
  if (history_.parents(at)[1] != History::none) return facts;
  // Asked for once more rather than turned round: where several smallest differences exist, the direction
  // decides which one is found.
  const auto backward = difference(mirror_, commit, before, commit);
  if (!backward) return facts;
  facts.patch_id = content.patch_id;
  facts.reverse_patch_id = content_of(*backward).patch_id;
  return facts;
}

}  // namespace tandem::builders
