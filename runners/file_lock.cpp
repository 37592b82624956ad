#include "runners/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "specs/error.hpp"

namespace tandem::runners {
namespace {

/// Opened without O_CREAT first: in sticky directories the kernel may refuse O_CREAT on another user's file.
int open_for_everybody(const std::filesystem::path& path) {
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 || errno != ENOENT) return file;
  file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file >= 0) ::fchmod(file, 0666);
  return file;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file) : path_(file), file_(open_for_everybody(file)) {
  if (file_.get() < 0)
    throw Error(fmt::format("cannot open the lock {}: {}", file.string(), std::strerror(errno)));
}

bool FileLock::try_lock() {
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw Error(fmt::format("cannot lock {}: {}", path_.string(), std::strerror(errno)));
  }
  const std::string self = fmt::format("process {}", ::getpid());
  if (::ftruncate(file_.get(), 0) == 0)
    static_cast<void>(::pwrite(file_.get(), self.data(), self.size(), 0) == 0);
  return true;
}

std::string FileLock::holder() const {
  std::array<char, 64> text{};
  const auto length = ::pread(file_.get(), text.data(), text.size(), 0);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "another process";
}

}  // namespace tandem::runners
