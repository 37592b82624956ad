#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "builders/repository_handles.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw Error(fmt::format("cannot write '{}'", file.string()));
}

/// The mirror's tags, in the form that needs one file.
std::string packed_tags(git_repository* mirror) {
  const auto collect = [](const char* name, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  if (git_reference_foreach_name(mirror, collect, &names) != 0) git::fail("list the tags of the mirror");
  std::sort(names.begin(), names.end());
  std::string text = "# pack-refs with: sorted\n";
  for (const std::string& name : names) {
    git_oid id;
    if (!name.starts_with("refs/tags/") || git_reference_name_to_id(&id, mirror, name.c_str()) != 0) continue;
    text += fmt::format("{} {}\n", git::hex(id), name);
  }
  return text;
}

/// Fills the index from the commit, with the times and sizes of the files as they are: git then believes them
/// unchanged without reading them.
void write_index(git_repository* repository, const git_oid& commit, const fs::path& top) {
  Handle<git_commit> found;
  Handle<git_tree> tree;
  Handle<git_index> index;
  if (git_commit_lookup(Out(found), repository, &commit) != 0) git::fail("read commit " + git::hex(commit));
  if (git_commit_tree(Out(tree), found.get()) != 0) git::fail("read the tree of " + git::hex(commit));
  if (git_repository_index(Out(index), repository) != 0) git::fail("make an index");
  if (git_index_read_tree(index.get(), tree.get()) != 0) git::fail("read the tree of " + git::hex(commit));
  const std::size_t count = git_index_entrycount(index.get());
  std::vector<git_index_entry> entries;
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    git_index_entry entry = *git_index_get_byindex(index.get(), i);
    struct stat status {};
    if (entry.mode != GIT_FILEMODE_COMMIT && ::lstat((top / entry.path).c_str(), &status) == 0) {
      entry.mtime = {static_cast<std::int32_t>(status.st_mtim.tv_sec),
                     static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
      entry.ctime = {static_cast<std::int32_t>(status.st_ctim.tv_sec),
                     static_cast<std::uint32_t>(status.st_ctim.tv_nsec)};
      entry.dev = static_cast<std::uint32_t>(status.st_dev);
      entry.ino = static_cast<std::uint32_t>(status.st_ino);
      entry.uid = status.st_uid;
      entry.gid = status.st_gid;
      entry.file_size = static_cast<std::uint32_t>(status.st_size);
    }
    entries.push_back(entry);
  }
  for (const git_index_entry& entry : entries) {
    // The path may belong to the entry that is replaced.
    const std::string path = entry.path;
    git_index_entry filled = entry;
    filled.path = path.c_str();
    if (git_index_add(index.get(), &filled) != 0) git::fail("write the index entry of " + path);
  }
  if (git_index_write(index.get()) != 0) git::fail("write the index");
}

}  // namespace

void provide_git(const fs::path& mirror, const Commit& commit, const fs::path& tree) {
  const git_oid id = git::parse_id(commit.id);
  Handle<git_repository> source;
  if (git::open(source, mirror) != 0) git::fail(fmt::format("open the mirror '{}'", mirror.string()));
  Handle<git_repository> made;
  if (git_repository_init(Out(made), tree.c_str(), 0) != 0) {
    git::fail(fmt::format("make a repository in '{}'", tree.string()));
  }
  made.reset();
  const fs::path inside = tree / ".git";
  fs::create_directories(inside / "objects" / "info");
  write_text(inside / "objects" / "info" / "alternates", fs::absolute(mirror / "objects").string() + "\n");
  write_text(inside / "packed-refs", packed_tags(source.get()));
  write_text(inside / "HEAD", commit.id + "\n");
  // Another mount or user namespace changes inode and owner, but not what a build should see as a change.
  write_text(inside / "config",
             "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
             "\ttrustctime = false\n\tcheckStat = minimal\n[gc]\n\tauto = 0\n");
  if (git::open(made, tree) != 0) git::fail(fmt::format("open the repository in '{}'", tree.string()));
  write_index(made.get(), id, tree);
}

}  // namespace tandem::builders
