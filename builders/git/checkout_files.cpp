#include "builders/git/checkout_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "specs/foundation/text.hpp"

namespace tandem::builders::git {

using CheckoutKind = CheckoutFailure::Kind;

void refuse(CheckoutKind kind, const std::string& sentence) {
  throw CheckoutRefusal{{kind, sentence}};
}

void refuse_errno(const std::string& doing, const std::string& path) {
  const int code = errno;
  const CheckoutKind kind = code == EEXIST ? CheckoutKind::unsafe_path : CheckoutKind::disk;
  refuse(kind, fmt::format("cannot {} '{}': {}", doing, printable(path, 500), std::strerror(code)));
}

void make_directory(int directory, const std::string& name, const std::string& path) {
  if (::mkdirat(directory, name.c_str(), 0755) != 0) refuse_errno("make the directory", path);
}

OwnedDescriptor open_directory(int directory, const std::string& name, const std::string& path) {
  OwnedDescriptor inner(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (inner.get() < 0) refuse_errno("open the directory", path);
  return inner;
}

void write_file(int directory, const std::string& name, std::string_view content, Mode mode,
                const timespec (&times)[2], const std::string& path) {
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
  if (::futimens(file.get(), times) != 0) refuse_errno("date", path);
}

void write_link(int directory, const std::string& name, const std::string& target, const timespec (&times)[2],
                const std::string& path) {
  if (target.empty() || target.find('\0') != std::string::npos) {
    refuse(CheckoutKind::unsafe_path,
           fmt::format("the symbolic link '{}' has no usable target", printable(path, 500)));
  }
  if (::symlinkat(target.c_str(), directory, name.c_str()) != 0) refuse_errno("make the link", path);
  if (::utimensat(directory, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) refuse_errno("date", path);
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

std::size_t count_entries(int directory, const std::string& path) {
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

}  // namespace tandem::builders::git
