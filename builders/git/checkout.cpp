#include <fcntl.h>
#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "builders/git/checkout_files.hpp"
#include "builders/git/handles.hpp"
#include "builders/git/submodules.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

using git::Handle;
using git::Mode;
using git::Out;
using git::refuse;
using CheckoutKind = CheckoutFailure::Kind;

/// A tree of a few objects can unfold to billions of files; no framework comes near these.
constexpr std::size_t most_entries = 2'000'000;
constexpr std::size_t deepest_tree = 200;

void check_entry_name(const std::string& name, const std::string& path) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.empty() || name == "." || name == ".." || lower == ".git" || name.find('/') != std::string::npos) {
    refuse(
        CheckoutKind::unsafe_path,
        fmt::format("the commit holds the path '{}', which is not allowed in a tree", printable(path, 500)));
  }
}

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
  if (probe.get() < 0) git::refuse_errno("read the mirror", mirror);
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
      : modules_(modules), stop_(stop) {
    // A commit from the future would make build tools believe that everything is out of date.
    times_[0].tv_sec = times_[1].tv_sec = std::min<std::time_t>(time, std::time(nullptr));
  }

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
                 git::make_directory(directory, name, at);
                 const OwnedDescriptor inner = git::open_directory(directory, name, at);
                 if (mode == GIT_FILEMODE_COMMIT) return write(submodule(origin, entry, at), inner.get());
                 return write(origin, *git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
               }
               const Handle<git_blob> blob = blob_of(origin, entry, at);
               const std::string_view content(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                                              static_cast<std::size_t>(git_blob_rawsize(blob.get())));
               if (mode == GIT_FILEMODE_LINK) {
                 return git::write_link(directory, name, std::string(content), times_, at);
               }
               if (is_large_file_pointer(content)) refuse_large_file(origin, at);
               git::write_file(directory, name, content, mode_of(entry), times_, at);
             });
    if (::futimens(directory, times_) != 0) git::refuse_errno("date", path);
  }

  void verify(const Origin& origin, const git_oid& tree, int directory, const std::string& path,
              std::size_t depth) {
    std::size_t expected = 0;
    for_each(origin, tree, path, depth,
             [&](const git_tree_entry* entry, const std::string& name, const std::string& at) {
               ++expected;
               const git_filemode_t mode = git_tree_entry_filemode(entry);
               if (mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT) {
                 const OwnedDescriptor inner = git::open_directory(directory, name, at);
                 if (mode == GIT_FILEMODE_COMMIT) return verify(submodule(origin, entry, at), inner.get());
                 return verify(origin, *git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
               }
               const auto content = mode == GIT_FILEMODE_LINK
                                        ? git::read_link(directory, name, at)
                                        : git::read_file(directory, name, mode_of(entry), at);
               git_oid found;
               if (!content || git_odb_hash(&found, content->data(), content->size(), GIT_OBJECT_BLOB) != 0 ||
                   git_oid_equal(&found, git_tree_entry_id(entry)) == 0) {
                 differs(at);
               }
             });
    if (git::count_entries(directory, path) != expected) differs(path);
  }

  template <class Visit>
  void for_each(const Origin& origin, const git_oid& id, const std::string& path, std::size_t depth,
                const Visit& visit) {
    Handle<git_tree> tree;
    if (git_tree_lookup(Out(tree), origin.repository, &id) != 0) no_object(origin, path);
    if (depth > deepest_tree)
      refuse(CheckoutKind::too_large, "the commit's directories are nested too deeply");
    const std::size_t count = git_tree_entrycount(tree.get());
    for (std::size_t i = 0; i < count; ++i) {
      if (stop_.stop_requested()) refuse(CheckoutKind::stopped, "the checkout was stopped on request");
      if (++entries_ > 2 * most_entries) refuse(CheckoutKind::too_large, "the commit holds too many files");
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      check_entry_name(name, path + name);
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

  [[noreturn]] static void differs(const std::string& path) {
    refuse(CheckoutKind::corrupt,
           fmt::format("what was written at '{}' is not what the commit holds", printable(path, 500)));
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
  const std::stop_token& stop_;
  timespec times_[2]{};
  std::size_t entries_ = 0;
};

}  // namespace

std::optional<CheckoutFailure> GitRepository::checkout(const Commit& commit,
                                                       const std::filesystem::path& empty_directory,
                                                       const std::stop_token& stop) const {
  const auto write_and_verify = [&] {
    const Origin origin{repository_.get(), git::parse_id(commit.id), {}, {}, 0, {}};
    const OwnedDescriptor top(::open(empty_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (top.get() < 0) git::refuse_errno("open the directory", empty_directory);
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
  } catch (const git::CheckoutRefusal& refusal) {
    return refusal.failure;
  }
  return std::nullopt;
}

}  // namespace tandem::builders
