#include "builders/checkout_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "specs/foundation/text.hpp"

namespace tandem::builders::checkout_files {

using CheckoutKind = CheckoutFailure::Kind;

void refuse(CheckoutKind kind, const std::string& sentence) {
  throw CheckoutRefusal{{kind, sentence}};
}

void refuse_errno(const std::string& doing, const std::string& path) {
  const int code = errno;
  const CheckoutKind kind = code == EEXIST ? CheckoutKind::unsafe_path : CheckoutKind::disk;
  refuse(kind, fmt::format("cannot {} '{}': {}", doing, printable(path, 500), std::strerror(code)));
}

void refuse_difference(const std::string& path) {
  refuse(CheckoutKind::corrupt,
         fmt::format("what was written at '{}' is not what the commit holds", printable(path, 500)));
}

void refuse_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) refuse(CheckoutKind::stopped, "the checkout was stopped on request");
}

void check_count(std::size_t files) {
  if (files > most_files) refuse(CheckoutKind::too_large, "the commit holds too many files");
}

void check_depth(std::size_t folders) {
  if (folders > deepest_folder)
    refuse(CheckoutKind::too_large, "the commit's directories are nested too deeply");
}

void check_name(const std::string& name, const std::string& path,
                std::initializer_list<std::string_view> forbidden) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      std::find(forbidden.begin(), forbidden.end(), lower_case(name)) != forbidden.end()) {
    refuse(
        CheckoutKind::unsafe_path,
        fmt::format("the commit holds the path '{}', which is not allowed in a tree", printable(path, 500)));
  }
}

FileTimes::FileTimes(std::int64_t commit_time) {
  both[0].tv_sec = both[1].tv_sec = std::min<std::time_t>(commit_time, std::time(nullptr));
}

void set_times(int file, const FileTimes& times, const std::string& path) {
  if (::futimens(file, times.both) != 0) refuse_errno("date", path);
}

OwnedDescriptor open_top(const std::filesystem::path& directory) {
  OwnedDescriptor top(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (top.get() < 0) refuse_errno("open the directory", directory);
  return top;
}

OwnedDescriptor open_directory(int directory, const std::string& name, const std::string& path) {
  OwnedDescriptor inner(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (inner.get() < 0) refuse_errno("open the directory", path);
  return inner;
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

void make_directory(int directory, const std::string& name, const std::string& path) {
  if (::mkdirat(directory, name.c_str(), 0755) != 0) refuse_errno("make the directory", path);
}

void write_file(int directory, const std::string& name, std::string_view content, Mode mode,
                const FileTimes& times, const std::string& path) {
  const OwnedDescriptor file(
      ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) refuse_errno("write", path);
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse_errno("write", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fchmod(file.get(), mode == Mode::executable ? 0755 : 0644) != 0)
    refuse_errno("set the mode of", path);
  set_times(file.get(), times, path);
}

void write_link(int directory, const std::string& name, const std::string& target, const FileTimes& times,
                const std::string& path) {
  if (target.empty() || target.find('\0') != std::string::npos) {
    refuse(CheckoutKind::unsafe_path,
           fmt::format("the symbolic link '{}' has no usable target", printable(path, 500)));
  }
  if (::symlinkat(target.c_str(), directory, name.c_str()) != 0) refuse_errno("make the link", path);
  set_link_times(directory, name, times, path);
}

void set_link_times(int directory, const std::string& name, const FileTimes& times, const std::string& path) {
  if (::utimensat(directory, name.c_str(), times.both, AT_SYMLINK_NOFOLLOW) != 0) refuse_errno("date", path);
}

std::optional<std::string> read_file(int directory, const std::string& name, Mode mode,
                                     const std::string& path) {
  const OwnedDescriptor file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) refuse_errno("read back", path);
  const bool executable = (status.st_mode & S_IXUSR) != 0;
  if (!S_ISREG(status.st_mode) || executable != (mode == Mode::executable)) return std::nullopt;
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_errno("read back", path);
    if (got == 0) return std::nullopt;
    filled += static_cast<std::size_t>(got);
  }
  return content;
}

std::string read_link(int directory, const std::string& name, const std::string& path) {
  char target[4097];
  const ssize_t length = ::readlinkat(directory, name.c_str(), target, sizeof target);
  if (length < 0) refuse_errno("read the link", path);
  return {target, static_cast<std::size_t>(length)};
}

}  // namespace tandem::builders::checkout_files
