#include <fmt/format.h>

#include <algorithm>

#include "builders/git/repository.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

using git::Handle;
using git::Out;

constexpr std::size_t most_deltas = 20'000;
constexpr std::size_t longest_path = 500;
constexpr git_off_t largest_file = 2 << 20;
constexpr git_off_t largest_commit = 256 << 20;

/// Every setting that the user's own configuration could change is given, or patch ids would differ by host.
git_diff_options diff_options() {
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_NONE;
  options.max_size = largest_file;
  options.old_prefix = "a";
  options.new_prefix = "b";
  return options;
}

Handle<git_diff> diff_between(git_repository* repository, git_tree* from, git_tree* to) {
  const git_diff_options options = diff_options();
  Handle<git_diff> diff;
  if (git_diff_tree_to_tree(Out(diff), repository, from, to, &options) != 0) git::fail("compare two trees");
  return diff;
}

std::vector<std::string> files_of(const git_diff* diff) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
    const git_diff_delta* delta = git_diff_get_delta(diff, i);
    files.push_back(printable(delta->old_file.path, longest_path));
    files.push_back(printable(delta->new_file.path, longest_path));
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (files.size() > CommitFacts::most_files) files.resize(CommitFacts::most_files);
  return files;
}

git_off_t size_of(git_odb* odb, const git_diff_file& file) {
  const bool blob = file.mode != GIT_FILEMODE_UNREADABLE && file.mode != GIT_FILEMODE_COMMIT;
  if (!blob) return 0;
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  if (git_odb_read_header(&size, &type, odb, &file.id) != 0) git::fail("read file " + git::hex(file.id));
  return static_cast<git_off_t>(size);
}

/// How much of a change is worth reading.
enum class Extent { whole, without_large_files, names };

Extent extent_of(git_repository* repository, const git_diff* diff) {
  if (git_diff_num_deltas(diff) > most_deltas) return Extent::names;
  Handle<git_odb> odb;
  if (git_repository_odb(Out(odb), repository) != 0) git::fail("open the objects of the mirror");
  git_off_t total = 0;
  Extent extent = Extent::whole;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
    const git_diff_delta* delta = git_diff_get_delta(diff, i);
    for (const git_diff_file* file : {&delta->old_file, &delta->new_file}) {
      const git_off_t size = size_of(odb.get(), *file);
      if (size > largest_file) extent = Extent::without_large_files;
      total += std::min(size, largest_file);
    }
    if (total > largest_commit) return Extent::names;
  }
  return extent;
}

/// What git's patch id does not tell apart: binary files by their content, changes of mode, empty files.
void add_what_has_no_lines(const git_diff_delta& delta, bool binary, std::string& text) {
  for (const git_diff_file* file : {&delta.old_file, &delta.new_file}) {
    text += fmt::format("{:o} {} {}\n", static_cast<unsigned>(file->mode),
                        binary ? git::hex(file->id) : std::string(), file->path);
  }
}

struct Content {
  std::size_t lines = 0;
  std::string patch_id;
};

Content content_of(git_diff* diff) {
  Content content;
  std::string without_lines;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
    Handle<git_patch> patch;
    if (git_patch_from_diff(Out(patch), diff, i) != 0) git::fail("compare two files");
    std::size_t added = 0;
    std::size_t removed = 0;
    if (git_patch_line_stats(nullptr, &added, &removed, patch.get()) != 0) git::fail("count lines");
    content.lines += added + removed;
    const git_diff_delta* delta = git_patch_get_delta(patch.get());
    const bool binary = (delta->flags & GIT_DIFF_FLAG_BINARY) != 0;
    if (binary || added + removed == 0) add_what_has_no_lines(*delta, binary, without_lines);
  }
  git_oid id;
  if (git_diff_patchid(&id, diff, nullptr) != 0) git::fail("hash a change");
  content.patch_id = git::hex(id);
  if (!without_lines.empty()) content.patch_id = sha256_of(content.patch_id + "\n" + without_lines);
  return content;
}

Handle<git_tree> tree_of(const git_commit* commit) {
  Handle<git_tree> tree;
  if (git_commit_tree(Out(tree), commit) != 0) {
    git::fail("read the tree of commit " + git::hex(*git_commit_id(commit)));
  }
  return tree;
}

}  // namespace

CommitFacts GitRepository::facts(const std::string& commit) const {
  git_repository* repository = repository_.get();
  const git_oid id = git::parse_id(commit);
  Handle<git_commit> child;
  if (git_commit_lookup(Out(child), repository, &id) != 0) git::fail("read commit " + commit);
  const unsigned parents = git_commit_parentcount(child.get());
  Handle<git_tree> before;
  if (parents > 0) {
    Handle<git_commit> parent;
    if (git_commit_parent(Out(parent), child.get(), 0) != 0) git::fail("read the parent of " + commit);
    before = tree_of(parent.get());
  }
  const Handle<git_tree> after = tree_of(child.get());
  const Handle<git_diff> diff = diff_between(repository, before.get(), after.get());

  CommitFacts facts;
  facts.files = files_of(diff.get());
  facts.reverts = reverted_ids(git_commit_message(child.get()));
  const Extent extent = extent_of(repository, diff.get());
  if (extent == Extent::names || facts.files.empty()) return facts;
  const Content content = content_of(diff.get());
  facts.lines = content.lines;
  if (extent != Extent::whole || parents > 1) return facts;
  facts.patch_id = content.patch_id;
  // Not the same lines with their signs exchanged: where several smallest differences exist, the direction
  // decides which one is found.
  facts.reverse_patch_id = content_of(diff_between(repository, after.get(), before.get()).get()).patch_id;
  return facts;
}

}  // namespace tandem::builders
