#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <unordered_map>

#include "builders/hg/manifest.hpp"
#include "builders/hg/program.hpp"
#include "builders/hg/repository.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using hg::Refusal;
using hg::TreeFile;
using CheckoutKind = CheckoutFailure::Kind;
using runners::Finished;

[[noreturn]] void refuse(CheckoutKind kind, const std::string& sentence) {
  throw Refusal{{kind, sentence}};
}

[[noreturn]] void refuse_errno(const std::string& doing, const std::string& path) {
  const int code = errno;
  refuse(CheckoutKind::disk,
         fmt::format("cannot {} '{}': {}", doing, printable(path, 500), std::strerror(code)));
}

[[noreturn]] void differs(const std::string& path) {
  refuse(CheckoutKind::corrupt,
         fmt::format("what was written at '{}' is not what the commit holds", printable(path, 500)));
}

std::vector<std::string> names_in(int directory, const std::string& path) {
  // The stream takes its descriptor over, and needs one with an offset of its own.
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  if (!stream) refuse_errno("list", path);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

/// What hg wrote, read back through directory descriptors so that no link on the way is followed. Modes and
/// times are set on the way.
class ArchivedTree {
 public:
  ArchivedTree(const std::vector<TreeFile>& files, std::int64_t time, const std::stop_token& stop)
      : stop_(stop) {
    for (const TreeFile& file : files) files_.emplace(file.path, &file);
    // A commit from the future would make build tools believe that everything is out of date.
    times_[0].tv_sec = times_[1].tv_sec = std::min<std::time_t>(time, std::time(nullptr));
  }

  void verify(int top) {
    visit(top, "");
    if (seen_ != files_.size()) differs(".");
  }

 private:
  void visit(int directory, const std::string& path) {
    for (const std::string& name : names_in(directory, path)) {
      if (stop_.stop_requested()) refuse(CheckoutKind::stopped, "the checkout was stopped on request");
      const std::string at = path + name;
      struct stat status {};
      if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        refuse_errno("read back", at);
      if (S_ISDIR(status.st_mode)) {
        const OwnedDescriptor inner(
            ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (inner.get() < 0) refuse_errno("open the directory", at);
        if (::fchmod(inner.get(), 0755) != 0) refuse_errno("set the mode of", at);
        const std::size_t before = seen_;
        visit(inner.get(), at + "/");
        if (seen_ == before) differs(at);
        continue;
      }
      const auto file = files_.find(at);
      if (file == files_.end()) differs(at);
      const bool link = file->second->type == TreeFile::Type::link;
      if (link ? !S_ISLNK(status.st_mode) : !S_ISREG(status.st_mode)) differs(at);
      const std::string id =
          link ? id_of_link(directory, name, *file->second)
               : id_of_file(directory, name, *file->second, (status.st_mode & S_IXUSR) != 0);
      if (id != file->second->node) differs(at);
      ++seen_;
    }
    if (::futimens(directory, times_) != 0) refuse_errno("date", path);
  }

  [[nodiscard]] std::string id_of_link(int directory, const std::string& name, const TreeFile& file) const {
    char target[4097];
    const ssize_t length = ::readlinkat(directory, name.c_str(), target, sizeof target);
    if (length < 0) refuse_errno("read the link", file.path);
    if (::utimensat(directory, name.c_str(), times_, AT_SYMLINK_NOFOLLOW) != 0)
      refuse_errno("date", file.path);
    hg::Sha1 hash;
    hash.add(file.parents);
    hash.add(file.before);
    hash.add({target, static_cast<std::size_t>(length)});
    return hash.finish();
  }

  [[nodiscard]] std::string id_of_file(int directory, const std::string& name, const TreeFile& file,
                                       bool executable) const {
    if (executable != (file.type == TreeFile::Type::executable)) differs(file.path);
    const OwnedDescriptor opened(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (opened.get() < 0) refuse_errno("read back", file.path);
    hg::Sha1 hash;
    hash.add(file.parents);
    hash.add(file.before);
    std::string buffer(std::size_t{1} << 17, '\0');
    while (const ssize_t got = ::read(opened.get(), buffer.data(), buffer.size())) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse_errno("read back", file.path);
      hash.add({buffer.data(), static_cast<std::size_t>(got)});
    }
    if (::fchmod(opened.get(), executable ? 0755 : 0644) != 0) refuse_errno("set the mode of", file.path);
    if (::futimens(opened.get(), times_) != 0) refuse_errno("date", file.path);
    return hash.finish();
  }

  std::unordered_map<std::string, const TreeFile*> files_;
  const std::stop_token& stop_;
  timespec times_[2]{};
  std::size_t seen_ = 0;
};

void refuse_subrepositories(int top) {
  const OwnedDescriptor state(::openat(top, ".hgsubstate", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  char line[600];
  const ssize_t got = state.get() < 0 ? 0 : ::read(state.get(), line, sizeof line);
  if (got <= 0) return;  // none, or those that there were are gone
  const std::string_view text(line, static_cast<std::size_t>(got));
  const std::string_view first = text.substr(0, text.find('\n'));
  refuse(CheckoutKind::submodules,
         fmt::format("subrepositories are not supported: the commit holds one at '{}'",
                     printable(first.substr(std::min(first.find(' ') + 1, first.size())), 500)));
}

void archive(const fs::path& mirror, const std::string& id, const fs::path& directory,
             const std::stop_token& stop) {
  hg::Call call;
  // As the working directory, because hg would expand percent signs in the name of a target.
  call.directory = directory;
  call.arguments = {
      "--config", "ui.archivemeta=false", "--hidden", "-R", mirror, "archive", "--rev", id, "--type",
      "files",    "--no-decode",          "--",       "."};
  const Finished finished = hg::run(call, stop);
  if (finished.succeeded()) return;
  if (finished.how == Finished::How::stopped)
    refuse(CheckoutKind::stopped, "the checkout was stopped on request");
  const std::string why = hg::reason(finished);
  const auto tells = [&](const char* words) { return why.find(words) != std::string::npos; };
  if (tells("missing processor for flag")) {
    refuse(CheckoutKind::large_files,
           "Mercurial's lfs is not supported: the commit holds only pointers to content");
  }
  const bool disk = tells("No space left") || tells("quota") || tells("Permission denied");
  refuse(disk ? CheckoutKind::disk : CheckoutKind::corrupt,
         fmt::format("commit {} cannot be written out: {}", id, why));
}

}  // namespace

std::optional<CheckoutFailure> HgRepository::checkout(const Commit& commit, const fs::path& empty_directory,
                                                      const std::stop_token& stop) const {
  const OwnedDescriptor top(::open(empty_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  try {
    if (top.get() < 0) refuse_errno("open the directory", empty_directory);
    // hg would overwrite what is there, and follow links.
    if (!names_in(top.get(), empty_directory).empty()) {
      refuse(CheckoutKind::corrupt, fmt::format("the directory '{}' is not empty", empty_directory.string()));
    }
    const std::vector<TreeFile> files = hg::proven_files(mirror_, commit.id, stop);
    if (!files.empty()) archive(mirror_, commit.id, empty_directory, stop);
    refuse_subrepositories(top.get());
    ArchivedTree(files, commit.committer_time, stop).verify(top.get());
  } catch (const Refusal& refusal) {
    return refusal.failure;
  }
  return std::nullopt;
}

}  // namespace tandem::builders
