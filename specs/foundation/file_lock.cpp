#include "specs/foundation/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem {
namespace {

constexpr mode_t for_owner = 0600;
constexpr mode_t for_group = 0660;
constexpr std::string_view holder_word = "process ";

std::optional<gid_t> group_of_locks() {
  std::vector<char> buffer(1 << 14);
  group entry{};
  group* found = nullptr;
  if (::getgrnam_r("tandem", &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return {};
  return found->gr_gid;
}

bool is_member(gid_t wanted) {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  if (count >= 0) groups.resize(static_cast<std::size_t>(count));
  groups.push_back(::getegid());
  return ::geteuid() == 0 || std::find(groups.begin(), groups.end(), wanted) != groups.end();
}

/// Opened without O_CREAT first: in sticky directories the kernel may refuse O_CREAT on another user's file.
int open_existing(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

int make(const std::filesystem::path& path, mode_t mode) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
}

/// An earlier version left its locks open to everybody; their owner and root may close them.
void set_rights(int file, mode_t mode, std::optional<gid_t> group) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || (facts.st_uid != ::geteuid() && ::geteuid() != 0)) return;
  if (group && facts.st_gid != *group) static_cast<void>(::fchown(file, static_cast<uid_t>(-1), *group));
  if ((facts.st_mode & 07777) != mode) ::fchmod(file, mode);
}

int open_for_owner(const std::filesystem::path& path) {
  int file = open_existing(path);
  if (file < 0 && errno == ENOENT) file = make(path, for_owner);
  if (file >= 0) set_rights(file, for_owner, {});
  return file;
}

/// Whether the owner of a file is nobody who could hold its lock against the will of this host's people.
bool is_trusted(int file, std::optional<gid_t> group) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return false;
  return facts.st_uid == 0 || facts.st_uid == ::geteuid() || (group && facts.st_gid == *group);
}

int open_for_group(const std::filesystem::path& path) {
  const auto group = group_of_locks();
  int file = open_existing(path);
  if (file >= 0 && !is_trusted(file, group)) {
    ::close(file);
    errno = EPERM;
    if (::geteuid() != 0 || ::unlink(path.c_str()) != 0) return -1;
    file = open_existing(path);
  }
  if (file < 0 && errno == ENOENT) {
    // A file of somebody else's group would shut the service out.
    if (group && !is_member(*group)) {
      errno = EACCES;
      return -1;
    }
    file = make(path, for_group);
  }
  if (file >= 0) set_rights(file, for_group, group);
  return file;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file, For whom)
    : path_(file), file_(whom == For::group ? open_for_group(file) : open_for_owner(file)) {
  if (file_.get() < 0)
    throw Error(fmt::format("cannot open the lock {}: {}", file.string(), std::strerror(errno)));
}

bool FileLock::take(int operation) {
  while (::flock(file_.get(), operation | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw Error(fmt::format("cannot lock {}: {}", path_.string(), std::strerror(errno)));
  }
  return true;
}

bool FileLock::try_lock() {
  if (!take(LOCK_EX)) return false;
  const std::string self = fmt::format("{}{}", holder_word, ::getpid());
  if (::ftruncate(file_.get(), 0) == 0)
    static_cast<void>(::pwrite(file_.get(), self.data(), self.size(), 0) == 0);
  return true;
}

bool FileLock::try_share() {
  return take(LOCK_SH);
}

void FileLock::unlock() {
  ::flock(file_.get(), LOCK_UN);
}

std::string FileLock::holder() const {
  std::array<char, 64> text{};
  const auto length = ::pread(file_.get(), text.data(), text.size(), 0);
  std::string_view words(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  int number = 0;
  if (!words.starts_with(holder_word)) return "another process";
  words.remove_prefix(holder_word.size());
  const auto read = std::from_chars(words.data(), words.data() + words.size(), number);
  return read.ec == std::errc{} ? fmt::format("{}{}", holder_word, number) : "another process";
}

bool is_locked(const std::filesystem::path& file) {
  const OwnedDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.get() >= 0) return ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return false;
  // "1: FLOCK  ADVISORY  WRITE 123 08:01:456 0 EOF": device and inode; the last is enough where a file system
  // shows processes another device than the kernel.
  const std::string inode = fmt::format(":{}", facts.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string number, kind, rest; locks >> number >> kind && std::getline(locks, rest);) {
    if (kind == "FLOCK" && rest.find(inode + " ") != std::string::npos) return true;
  }
  return false;
}

}  // namespace tandem
