#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "builders/printable.hpp"
#include "builders/repository_handles.hpp"
#include "runners/descriptor.hpp"

namespace tandem::builders {
namespace {

using git::Handle;
using git::Out;
using Kind = CheckoutFailure::Kind;
using runners::OwnedDescriptor;

/// A tree of a few objects can unfold to billions of files; no framework comes near these.
constexpr std::size_t most_entries = 2'000'000;
constexpr std::size_t deepest = 200;

struct Refusal {
  CheckoutFailure failure;
};

[[noreturn]] void refuse(Kind kind, const std::string& sentence) {
  throw Refusal{{kind, sentence}};
}

[[noreturn]] void refuse_errno(const std::string& doing, const std::string& path) {
  const int code = errno;
  const Kind kind = code == EEXIST ? Kind::unsafe_path : Kind::disk;
  refuse(kind, fmt::format("cannot {} '{}': {}", doing, printable(path, 500), std::strerror(code)));
}

void check_name(const std::string& name, const std::string& path) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.empty() || name == "." || name == ".." || lower == ".git" || name.find('/') != std::string::npos) {
    refuse(Kind::unsafe_path, fmt::format("the commit holds the path '{}', which is not allowed in a tree",
                                          printable(path, 500)));
  }
}

bool is_large_file_pointer(const void* content, std::size_t size) {
  constexpr std::string_view beginning = "version https://git-lfs.github.com/spec/";
  return size >= beginning.size() && size < 1024 &&
         std::string_view(static_cast<const char*>(content), beginning.size()) == beginning;
}

/// Two passes over one tree, both through directory descriptors so that no link on the way is followed.
class TreeOnDisk {
 public:
  TreeOnDisk(git_repository* repository, std::int64_t time, const std::stop_token& stop)
      : repository_(repository), stop_(stop) {
    // A commit from the future would make build tools believe that everything is out of date.
    times_[0].tv_sec = times_[1].tv_sec = std::min<std::time_t>(time, std::time(nullptr));
  }

  void write(const git_oid& tree, int directory, const std::string& path, std::size_t depth = 0) {
    for_each(tree, path, depth,
             [&](const git_tree_entry* entry, const std::string& name, const std::string& at) {
               switch (git_tree_entry_filemode(entry)) {
                 case GIT_FILEMODE_TREE: {
                   if (::mkdirat(directory, name.c_str(), 0755) != 0) refuse_errno("make the directory", at);
                   const OwnedDescriptor inner = open_directory(directory, name, at);
                   write(*git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
                   break;
                 }
                 case GIT_FILEMODE_LINK:
                   write_link(entry, directory, name, at);
                   break;
                 case GIT_FILEMODE_COMMIT:
                   refuse(Kind::submodules,
                          fmt::format("submodules are not supported: the commit holds one at '{}'",
                                      printable(at, 500)));
                 default:
                   write_file(entry, directory, name, at);
                   break;
               }
             });
    if (::futimens(directory, times_) != 0) refuse_errno("date", path);
  }

  /// Compares what is on the disk with the object ids: names, kinds, modes and contents, nothing more or
  /// less.
  void verify(const git_oid& tree, int directory, const std::string& path, std::size_t depth = 0) {
    std::size_t expected = 0;
    for_each(tree, path, depth,
             [&](const git_tree_entry* entry, const std::string& name, const std::string& at) {
               ++expected;
               const git_filemode_t mode = git_tree_entry_filemode(entry);
               if (mode == GIT_FILEMODE_TREE) {
                 const OwnedDescriptor inner = open_directory(directory, name, at);
                 verify(*git_tree_entry_id(entry), inner.get(), at + "/", depth + 1);
                 return;
               }
               git_oid found;
               const std::string content = mode == GIT_FILEMODE_LINK ? read_link(directory, name, at)
                                                                     : read_file(directory, name, at, mode);
               if (git_odb_hash(&found, content.data(), content.size(), GIT_OBJECT_BLOB) != 0 ||
                   git_oid_equal(&found, git_tree_entry_id(entry)) == 0) {
                 differs(at);
               }
             });
    if (count_entries(directory, path) != expected) differs(path);
  }

 private:
  template <class Visit>
  void for_each(const git_oid& id, const std::string& path, std::size_t depth, const Visit& visit) {
    Handle<git_tree> tree;
    if (git_tree_lookup(Out(tree), repository_, &id) != 0) corrupt(path);
    if (depth > deepest) refuse(Kind::too_large, "the commit's directories are nested too deeply");
    const std::size_t count = git_tree_entrycount(tree.get());
    for (std::size_t i = 0; i < count; ++i) {
      if (stop_.stop_requested()) refuse(Kind::stopped, "the checkout was stopped on request");
      if (++entries_ > 2 * most_entries) refuse(Kind::too_large, "the commit holds too many files");
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      check_name(name, path + name);
      visit(entry, name, path + name);
    }
  }

  Handle<git_blob> blob_of(const git_tree_entry* entry, const std::string& path) {
    Handle<git_blob> blob;
    if (git_blob_lookup(Out(blob), repository_, git_tree_entry_id(entry)) != 0) corrupt(path);
    return blob;
  }

  void write_file(const git_tree_entry* entry, int directory, const std::string& name,
                  const std::string& path) {
    const Handle<git_blob> blob = blob_of(entry, path);
    const auto* content = static_cast<const char*>(git_blob_rawcontent(blob.get()));
    auto left = static_cast<std::size_t>(git_blob_rawsize(blob.get()));
    if (is_large_file_pointer(content, left)) {
      refuse(Kind::large_files, fmt::format("git LFS is not supported: '{}' is only a pointer to its content",
                                            printable(path, 500)));
    }
    const OwnedDescriptor file(
        ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) refuse_errno("write", path);
    while (left > 0) {
      const ssize_t written = ::write(file.get(), content, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse_errno("write", path);
      content += written;
      left -= static_cast<std::size_t>(written);
    }
    const bool executable = git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE;
    if (::fchmod(file.get(), executable ? 0755 : 0644) != 0) refuse_errno("set the mode of", path);
    if (::futimens(file.get(), times_) != 0) refuse_errno("date", path);
  }

  void write_link(const git_tree_entry* entry, int directory, const std::string& name,
                  const std::string& path) {
    const Handle<git_blob> blob = blob_of(entry, path);
    const std::string target(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                             static_cast<std::size_t>(git_blob_rawsize(blob.get())));
    if (target.empty() || target.find('\0') != std::string::npos) {
      refuse(Kind::unsafe_path,
             fmt::format("the symbolic link '{}' has no usable target", printable(path, 500)));
    }
    if (::symlinkat(target.c_str(), directory, name.c_str()) != 0) refuse_errno("make the link", path);
    if (::utimensat(directory, name.c_str(), times_, AT_SYMLINK_NOFOLLOW) != 0) refuse_errno("date", path);
  }

  static OwnedDescriptor open_directory(int directory, const std::string& name, const std::string& path) {
    OwnedDescriptor inner(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner.get() < 0) refuse_errno("open the directory", path);
    return inner;
  }

  static std::string read_link(int directory, const std::string& name, const std::string& path) {
    char target[4097];
    const ssize_t length = ::readlinkat(directory, name.c_str(), target, sizeof target);
    if (length < 0) refuse_errno("read the link", path);
    return {target, static_cast<std::size_t>(length)};
  }

  static std::string read_file(int directory, const std::string& name, const std::string& path,
                               git_filemode_t mode) {
    const OwnedDescriptor file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) refuse_errno("read back", path);
    const bool executable = (status.st_mode & S_IXUSR) != 0;
    if (!S_ISREG(status.st_mode) || executable != (mode == GIT_FILEMODE_BLOB_EXECUTABLE)) differs(path);
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t filled = 0;
    while (filled < content.size()) {
      const ssize_t got = ::read(file.get(), content.data() + filled, content.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse_errno("read back", path);
      if (got == 0) differs(path);
      filled += static_cast<std::size_t>(got);
    }
    return content;
  }

  static std::size_t count_entries(int directory, const std::string& path) {
    // The stream takes its descriptor over, and needs one with an offset of its own.
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = own < 0 ? nullptr : ::fdopendir(own);
    if (stream == nullptr) refuse_errno("list", path);
    std::size_t count = 0;
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") ++count;
    }
    ::closedir(stream);
    return count;
  }

  [[noreturn]] static void differs(const std::string& path) {
    refuse(Kind::corrupt,
           fmt::format("what was written at '{}' is not what the commit holds", printable(path, 500)));
  }

  [[noreturn]] static void corrupt(const std::string& path) {
    refuse(Kind::corrupt, fmt::format("the mirror has no sound object for '{}': {}", printable(path, 500),
                                      git::last_message()));
  }

  git_repository* repository_;
  const std::stop_token& stop_;
  timespec times_[2]{};
  std::size_t entries_ = 0;
};

}  // namespace

std::optional<CheckoutFailure> GitRepository::checkout(const Commit& commit,
                                                       const std::filesystem::path& empty_directory,
                                                       const std::stop_token& stop) const {
  // The tree is taken from the commit itself: the id alone decides what is built.
  git_oid id;
  Handle<git_commit> found;
  if (git_oid_fromstr(&id, commit.id.c_str()) != 0 ||
      git_commit_lookup(Out(found), repository_.get(), &id) != 0) {
    return CheckoutFailure{Kind::corrupt,
                           fmt::format("commit {} cannot be read: {}", commit.id, git::last_message())};
  }
  const git_oid tree = *git_commit_tree_id(found.get());
  const OwnedDescriptor top(::open(empty_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  try {
    if (top.get() < 0) refuse_errno("open the directory", empty_directory);
    TreeOnDisk on_disk(repository_.get(), commit.committer_time, stop);
    on_disk.write(tree, top.get(), "");
    on_disk.verify(tree, top.get(), "");
  } catch (const Refusal& refusal) {
    return refusal.failure;
  }
  return std::nullopt;
}

}  // namespace tandem::builders
