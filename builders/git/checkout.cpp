#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "builders/checkout_files.hpp"
#include "builders/git/remote.hpp"
#include "builders/git/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using checkout_files::FileTimes;
using checkout_files::Mode;
using checkout_files::refuse;
using checkout_files::refuse_errno;
using git::Handle;
using git::Out;
using CheckoutKind = CheckoutFailure::Kind;

bool is_large_file_pointer(std::string_view content) {
  constexpr std::string_view beginning = "version https://git-lfs.github.com/spec/";
  return content.size() < 1024 && content.starts_with(beginning);
}

Mode mode_of(const git_tree_entry* entry) {
  return git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE ? Mode::executable : Mode::plain;
}

/// Without a descriptor, or on a disk that fails, every object looks missing; that must not have the mirror
/// put aside.
void refuse_if_unreadable(const std::filesystem::path& mirror) {
  const OwnedDescriptor probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (probe.get() < 0) refuse_errno("read the mirror", mirror);
  try {
    git::check_packs(mirror);
  } catch (const HostError& error) {
    refuse(CheckoutKind::disk, error.what());
  } catch (const Error&) {
    return;  // That is damage.
  }
}

/// A commit whose tree is written: the one that was asked for, or one that it records as a submodule.
struct Origin {
  git_repository* repository;
  git_oid commit;
  std::string mirror;     ///< its name among the mirrors of submodules; empty for the first
  std::string prefix;     ///< where its tree lies in the whole, with a slash at the end; empty for the first
  std::size_t level = 0;  ///< how many submodules it lies in
  Handle<git_repository> own;  ///< keeps a submodule's mirror open
};

/// Two passes over the same trees, both through directory descriptors.
class TreeOnDisk {
 public:
  TreeOnDisk(const std::filesystem::path& modules, std::int64_t time, const std::stop_token& stop)
      : modules_(modules), times_(time), stop_(stop) {}

  void write(const Origin& origin, int directory) {
    write(origin, tree_of(origin), directory, origin.prefix, 0);
  }

  /// Compares what is on the disk with the object ids: names, kinds, modes and contents, nothing more or
  /// less.
  void verify(const Origin& origin, int directory) {
    verify(origin, tree_of(origin), directory, origin.prefix, 0);
  }

 private:
  void write(const Origin& origin, const git_oid& tree, int directory, const std::string& path,
             std::size_t depth) {
    for_each(origin, tree, path, depth,
             [&](const git_tree_entry* entry, const std::string& name, const std::string& at) {
               const git_filemode_t mode = git_tree_entry_filemode(entry);
               if (mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT) {
                 checkout_files::make_directory(directory, name, at);
                 const OwnedDescriptor inner = checkout_files::open_directory(directory, name, at);
                 if (mode == GIT_FILEMODE_COMMIT) return write(submodule(origin, entry, at), inner.get());
                 return write(origin, *git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
               }
               const Handle<git_blob> blob = blob_of(origin, entry, at);
               const std::string_view content(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                                              static_cast<std::size_t>(git_blob_rawsize(blob.get())));
               if (mode == GIT_FILEMODE_LINK) {
                 return checkout_files::write_link(directory, name, std::string(content), times_, at);
               }
               if (is_large_file_pointer(content)) refuse_large_file(origin, at);
               checkout_files::write_file(directory, name, content, mode_of(entry), times_, at);
             });
    checkout_files::set_times(directory, times_, path);
  }

  void verify(const Origin& origin, const git_oid& tree, int directory, const std::string& path,
              std::size_t depth) {
    std::size_t expected = 0;
    for_each(origin, tree, path, depth,
             [&](const git_tree_entry* entry, const std::string& name, const std::string& at) {
               ++expected;
               const git_filemode_t mode = git_tree_entry_filemode(entry);
               if (mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT) {
                 const OwnedDescriptor inner = checkout_files::open_directory(directory, name, at);
                 if (mode == GIT_FILEMODE_COMMIT) return verify(submodule(origin, entry, at), inner.get());
                 return verify(origin, *git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
               }
               const auto content = mode == GIT_FILEMODE_LINK
                                        ? checkout_files::read_link(directory, name, at)
                                        : checkout_files::read_file(directory, name, mode_of(entry), at);
               git_oid found;
               if (!content || git_odb_hash(&found, content->data(), content->size(), GIT_OBJECT_BLOB) != 0 ||
                   git_oid_equal(&found, git_tree_entry_id(entry)) == 0) {
                 checkout_files::refuse_difference(at);
               }
             });
    if (checkout_files::names_in(directory, path).size() != expected) checkout_files::refuse_difference(path);
  }

  template <class Visit>
  void for_each(const Origin& origin, const git_oid& id, const std::string& path, std::size_t depth,
                const Visit& visit) {
    Handle<git_tree> tree;
    if (git_tree_lookup(Out(tree), origin.repository, &id) != 0) no_object(origin, path);
    checkout_files::check_depth(depth);
    const std::size_t count = git_tree_entrycount(tree.get());
    for (std::size_t i = 0; i < count; ++i) {
      checkout_files::refuse_if_stopped(stop_);
      checkout_files::check_count(++entries_ / 2);  // each is visited twice
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      checkout_files::check_name(name, path + name, {".git"});
      visit(entry, name, path + name);
    }
  }

  /// The commit is what decides: its tree is read from it.
  static git_oid tree_of(const Origin& origin) {
    Handle<git_commit> commit;
    if (git_commit_lookup(Out(commit), origin.repository, &origin.commit) != 0) {
      corrupt(origin, fmt::format("commit {} cannot be read", git::hex(origin.commit)));
    }
    return *git_commit_tree_id(commit.get());
  }

  [[nodiscard]] Origin submodule(const Origin& parent, const git_tree_entry* entry,
                                 const std::string& at) const {
    const std::string id = git::hex(*git_tree_entry_id(entry));
    const auto refuse_it = [&](const std::string& why) {
      refuse(CheckoutKind::submodules, fmt::format("the submodule '{}' {}", printable(at, 500), why));
    };
    if (parent.level == git::deepest_submodule) refuse_it("is nested too deeply");
    const auto described = git::submodules_of(parent.repository, parent.commit, parent.mirror);
    const auto found = std::find_if(described.begin(), described.end(), [&](const git::Submodule& one) {
      return parent.prefix + one.path == at;
    });
    if (found == described.end()) refuse_it("has no entry with path and url in .gitmodules");
    Origin origin{nullptr, *git_tree_entry_id(entry), found->mirror, at + "/", parent.level + 1, {}};
    Handle<git_commit> commit;
    if (git::open(origin.own, modules_ / found->mirror) != 0 ||
        git_commit_lookup(Out(commit), origin.own.get(), &origin.commit) != 0) {
      if (std::filesystem::exists(modules_ / found->mirror)) refuse_if_unreadable(modules_ / found->mirror);
      refuse_it(fmt::format("is not there at its commit {}: it has not been fetched", id));
    }
    origin.repository = origin.own.get();
    return origin;
  }

  static Handle<git_blob> blob_of(const Origin& origin, const git_tree_entry* entry,
                                  const std::string& path) {
    Handle<git_blob> blob;
    if (git_blob_lookup(Out(blob), origin.repository, git_tree_entry_id(entry)) != 0) no_object(origin, path);
    return blob;
  }

  /// A pointer is one only where .gitattributes says so; elsewhere it is a text like any other, as for git.
  static void refuse_large_file(const Origin& origin, const std::string& path) {
    git_attr_options options = GIT_ATTR_OPTIONS_INIT;
    options.flags = GIT_ATTR_CHECK_NO_SYSTEM | GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_INCLUDE_COMMIT;
    options.attr_commit_id = origin.commit;
    const char* filter = nullptr;
    const std::string inside = path.substr(origin.prefix.size());
    if (git_attr_get_ext(&filter, origin.repository, &options, inside.c_str(), "filter") != 0)
      no_object(origin, path);
    if (filter == nullptr || std::string_view(filter) != "lfs") return;
    refuse(CheckoutKind::large_files,
           fmt::format("git LFS is not supported: '{}' is only a pointer to its content; keep the file in "
                       "the repository, or let build.sh bring it",
                       printable(path, 500)));
  }

  [[noreturn]] static void corrupt(const Origin& origin, const std::string& sentence) {
    const std::string why = git::last_message();
    refuse_if_unreadable(git_repository_commondir(origin.repository));
    refuse(CheckoutKind::corrupt, fmt::format("{}: {}", sentence, why));
  }

  [[noreturn]] static void no_object(const Origin& origin, const std::string& path) {
    corrupt(origin, fmt::format("the mirror has no sound object for '{}'", printable(path, 500)));
  }

  std::filesystem::path modules_;
  FileTimes times_;
  const std::stop_token& stop_;
  std::size_t entries_ = 0;
};

/// The mirror's tags, in the form that needs one file.
std::string packed_tags(git_repository* mirror) {
  std::string text = "# pack-refs with: sorted\n";
  for (const std::string& name : git::references_below(mirror, "refs/tags/")) {
    git_oid id;
    if (git_reference_name_to_id(&id, mirror, name.c_str()) != 0) continue;
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

std::optional<CheckoutFailure> GitRepository::checkout(const Commit& commit,
                                                       const std::filesystem::path& empty_directory,
                                                       const std::stop_token& stop) const {
  const auto write_and_verify = [&] {
    const Origin origin{repository_.get(), git::parse_id(commit.id), {}, {}, 0, {}};
    const OwnedDescriptor top = checkout_files::open_top(empty_directory);
    TreeOnDisk on_disk(git::modules_of(path_), commit.committer_time, stop);
    on_disk.write(origin, top.get());
    on_disk.verify(origin, top.get());
  };
  try {
    try {
      write_and_verify();
    } catch (const Error& error) {
      refuse_if_unreadable(path_);
      refuse(CheckoutKind::corrupt, error.what());
    }
  } catch (const checkout_files::CheckoutRefusal& refusal) {
    return refusal.failure;
  }
  return std::nullopt;
}

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
  write_file(inside / "objects" / "info" / "alternates", fs::absolute(mirror / "objects").string() + "\n");
  write_file(inside / "packed-refs", packed_tags(source.get()));
  write_file(inside / "HEAD", commit.id + "\n");
  // Another mount or user namespace changes inode and owner, but not what a build should see as a change.
  write_file(inside / "config",
             "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
             "\ttrustctime = false\n\tcheckStat = minimal\n[gc]\n\tauto = 0\n");
  if (git::open(made, tree) != 0) git::fail(fmt::format("open the repository in '{}'", tree.string()));
  write_index(made.get(), id, tree);
}

}  // namespace tandem::builders
