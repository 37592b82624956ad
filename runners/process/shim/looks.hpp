#pragma once

#include <cstdint>

namespace tandem::runners {

/// What the processes of this pid namespace use now, without its first process and the caller.
struct Used {
  std::uint64_t processes = 0;  ///< alive; a zombie is none
  std::uint64_t memory_bytes = 0;
};

/// Memory is what cannot be dropped without loss: anonymous, shared and swapped pages, and the files in /tmp
/// and /dev/shm, which live in memory. Shared pages count once for every process that maps them.
[[nodiscard]] Used look_at_processes();

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

}  // namespace tandem::runners
