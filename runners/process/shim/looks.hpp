// Part of the shim (main.cpp), and of nothing else.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tandem::runners {

/// Each open directory of a walk holds a descriptor. Trees deeper than this are not made by honest programs.
constexpr int deepest = 256;

/// The number after `name` in /proc/PID/status, in KiB; 0 if there is none.
inline std::uint64_t field(const char* status, const char* name) {
  const char* at = std::strstr(status, name);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(name), nullptr, 10);
}

inline std::uint64_t bytes_in_memory(const char* mount) {
  struct statvfs space {};
  if (::statvfs(mount, &space) != 0) return 0;
  return static_cast<std::uint64_t>(space.f_blocks - space.f_bfree) * space.f_frsize;
}

/// What the processes of this pid namespace use now, without its first process and the caller.
struct Used {
  std::uint64_t processes = 0;  ///< alive; a zombie is none
  std::uint64_t memory_bytes = 0;
};

/// Memory is what cannot be dropped without loss: anonymous, shared and swapped pages, and the files in /tmp
/// and /dev/shm, which live in memory. Shared pages count once for every process that maps them.
[[nodiscard]] inline Used look_at_processes() {
  Used used;
  DIR* all = ::opendir("/proc");
  if (all == nullptr) {
    used.processes = SIZE_MAX;  // what cannot be counted is over every limit
    return used;
  }
  const long self = ::getpid();
  while (const dirent* entry = ::readdir(all)) {
    char* end = nullptr;
    const long pid = std::strtol(entry->d_name, &end, 10);
    if (*end != '\0' || pid <= 1 || pid == self) continue;
    char text[4096];
    std::snprintf(text, sizeof text, "%ld/status", pid);
    const int file = ::openat(::dirfd(all), text, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const ssize_t n = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (n <= 0) continue;
    text[n] = '\0';
    // The name comes first and is the program's to choose, but the kernel writes its newlines as "\n".
    const char* state = std::strstr(text, "\nState:\t");
    if (state == nullptr || state[8] == 'Z' || state[8] == 'X') continue;
    ++used.processes;
    used.memory_bytes +=
        1024 * (field(state, "\nRssAnon:") + field(state, "\nRssShmem:") + field(state, "\nVmSwap:"));
  }
  ::closedir(all);
  used.memory_bytes += bytes_in_memory("/tmp") + bytes_in_memory("/dev/shm");
  return used;
}

/// Disk space below directories, as the file system accounts for it. Links are not followed, other mounts are
/// left out, and a file with several names counts once.
class DiskLook {
 public:
  /// Called now and then during a long walk; false ends the walk.
  using Between = bool (*)(void*);
  DiskLook(Between between, void* context) : between_(between), context_(context) {}

  void add(const char* directory);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  bool walk(int directory, std::uint64_t mount, int depth);

  Between between_;
  void* context_;
  std::uint64_t bytes_ = 0;
  unsigned entries_ = 0;
};

inline void DiskLook::add(const char* directory) {
  struct statx root {};
  const int opened = ::open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) {
    bytes_ = UINT64_MAX / 2;  // as what lies too deep
    return;
  }
  if (::statx(opened, "", AT_EMPTY_PATH, STATX_MNT_ID, &root) != 0) root.stx_mnt_id = 0;
  walk(opened, root.stx_mnt_id, 0);
}

inline bool DiskLook::walk(int directory, std::uint64_t mount, int depth) {
  DIR* all = ::fdopendir(directory);
  if (all == nullptr) {
    ::close(directory);
    return true;
  }
  bool goes_on = true;
  while (goes_on) {
    const dirent* entry = ::readdir(all);
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (++entries_ % 256 == 0 && !between_(context_)) goes_on = false;
    struct statx file {};
    if (::statx(directory, entry->d_name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                STATX_TYPE | STATX_NLINK | STATX_BLOCKS | STATX_MNT_ID, &file) != 0) {
      continue;  // removed meanwhile
    }
    if ((file.stx_mask & STATX_MNT_ID) != 0 && file.stx_mnt_id != mount) continue;
    const bool is_directory = S_ISDIR(file.stx_mode);
    const std::uint64_t names = is_directory || file.stx_nlink == 0 ? 1 : file.stx_nlink;
    bytes_ += file.stx_blocks * 512 / names + 256;  // and its inode, which an empty file takes as well
    if (!is_directory) continue;
    const int below = ::openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) continue;
    if (depth == deepest) {
      ::close(below);
      bytes_ = UINT64_MAX / 2;  // what lies below cannot be counted, so it is taken for everything
      goes_on = false;
    } else {
      goes_on = walk(below, mount, depth + 1) && goes_on;
    }
  }
  ::closedir(all);
  return goes_on;
}

}  // namespace tandem::runners
