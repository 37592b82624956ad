#include "builders/cache/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "builders/work_directory.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

constexpr const char* staging_folder = "incoming";
constexpr std::string_view staging_prefix = "tandem-";  // whatever else lies there is somebody else's
constexpr std::string_view staging_suffix = "XXXXXX";
constexpr const char* last_used_name = "last_used";

[[noreturn]] void fail(const std::string& doing, const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", doing, path.string()));
}

/// std::filesystem::copy_file turns a full disk into an input/output error; here it stays what it is.
void copy_content(const fs::path& from, const fs::path& to) {
  const OwnedDescriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (source.get() < 0) fail("read", from);
  const OwnedDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (target.get() < 0) fail("write", to);
  std::vector<char> buffer(std::size_t{1} << 18);
  // What lies in memory only is written out on the way: a stop must not wait for all of it at the end.
  constexpr std::size_t written_out_every = std::size_t{64} << 20;
  std::size_t in_memory = 0;
  while (true) {
    StopScope::give_up_if_stopped();
    const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
    if (got < 0) fail("read", from);
    if (got == 0) return;
    in_memory += static_cast<std::size_t>(got);
    if (in_memory > written_out_every) {
      if (::fdatasync(target.get()) != 0) fail("write", to);
      in_memory = 0;
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t written =
          ::write(target.get(), buffer.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0) fail("write", to);
      done += written;
    }
  }
}

enum class Copied { durably, for_now };

void copy_tree(const fs::path& from, const fs::path& to, Copied how) {
  const bool durably = how == Copied::durably;
  fs::create_directory(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    if (entry.is_symlink()) {
      fs::copy_symlink(entry.path(), target);
    } else if (entry.is_directory()) {
      copy_tree(entry.path(), target, how);
    } else {
      copy_content(entry.path(), target);
      const bool executable = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      const mode_t mode = (executable ? 0555 : 0444) | (durably ? 0 : 0200);
      if (::chmod(target.c_str(), mode) != 0) fail("set the mode of", target);
      if (durably) synchronise(target);
    }
  }
  if (durably) synchronise(to);
}

int lock(const OwnedDescriptor& descriptor, int how) {
  int result = 0;
  do {
    result = ::flock(descriptor.get(), how);
  } while (result != 0 && errno == EINTR);
  return result;
}

std::uint64_t blocks_of(const struct stat& status) {
  constexpr std::uint64_t block = 512;  // The unit of st_blocks, whatever the file system's.
  return static_cast<std::uint64_t>(status.st_blocks) * block;
}

}  // namespace

void synchronise(const fs::path& path) {
  const OwnedDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0) fail("write", path);
}

void write_durably(const fs::path& path, const std::string& text) {
  write_file(path, text);
  synchronise(path);
}

void copy_durably(const fs::path& from, const fs::path& to) {
  copy_tree(from, to, Copied::durably);
}

void copy_for_now(const fs::path& from, const fs::path& to) {
  copy_tree(from, to, Copied::for_now);
}

StagingDirectory::StagingDirectory(const fs::path& exec_dir) {
  const fs::path parent = exec_dir / staging_folder;
  fs::create_directories(parent);
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::string name = (parent / fmt::format("{}{}", staging_prefix, staging_suffix)).string();
    if (::mkdtemp(name.data()) == nullptr) fail("make a directory in", parent);
    path_ = name;
    lock_ = OwnedDescriptor(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Somebody who cleans up may have been faster between making and locking.
    if (lock_.get() >= 0 && lock(lock_, LOCK_EX | LOCK_NB) == 0 && still_there(lock_, path_)) return;
    const int why = errno;
    std::error_code ignored;
    fs::remove(path_, ignored);
    errno = why;
  }
  fail("lock a new directory in", parent);
}

StagingDirectory::~StagingDirectory() {
  remove_tree(path_);
}

void clean_staging(const fs::path& exec_dir) {
  for (const fs::path& path : paths_in(exec_dir / staging_folder)) {
    const std::string name = path.filename();
    if (!name.starts_with(staging_prefix) || name.size() != staging_prefix.size() + staging_suffix.size()) {
      continue;
    }
    const OwnedDescriptor held(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (held.get() >= 0 && lock(held, LOCK_EX | LOCK_NB) == 0) remove_tree(path);
  }
}

OwnedDescriptor lock_removals(const fs::path& exec_dir) {
  const fs::path file = exec_dir / "removals.lock";
  OwnedDescriptor held(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (held.get() < 0 || lock(held, LOCK_EX) != 0) fail("lock", file);
  return held;
}

OwnedDescriptor hold(const fs::path& directory, Hold how) {
  OwnedDescriptor held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (held.get() < 0) return {};
  if (lock(held, how == Hold::in_use ? LOCK_SH : LOCK_EX | LOCK_NB) != 0) return {};
  return still_there(held, directory) ? std::move(held) : OwnedDescriptor();
}

bool still_there(const OwnedDescriptor& held, const fs::path& directory) {
  struct stat mine {};
  struct stat there {};
  return ::fstat(held.get(), &mine) == 0 && ::lstat(directory.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

std::int64_t last_used(const fs::path& directory) {
  for (const fs::path& file : {directory / last_used_name, directory / "manifest.json"}) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) == 0) {
      return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    }
  }
  return 0;
}

void touch(const fs::path& directory) {
  const fs::path file = directory / last_used_name;
  const OwnedDescriptor descriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (descriptor.get() >= 0) static_cast<void>(::futimens(descriptor.get(), nullptr));
}

std::uint64_t size_on_disk(const fs::path& tree) {
  struct stat status {};
  if (::lstat(tree.c_str(), &status) != 0) return 0;
  std::uint64_t bytes = blocks_of(status);
  if (!S_ISDIR(status.st_mode)) return bytes;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(tree, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    if (::lstat(entry->path().c_str(), &status) == 0) bytes += blocks_of(status);
  }
  return bytes;
}

}  // namespace tandem::builders
