#pragma once

#include <filesystem>
#include <string>

#include "runners/descriptor.hpp"

namespace tandem::runners {

/// An advisory lock on a file, given back by the kernel when its holder dies. The file tells who holds it.
///
/// Who may open the file can hold the lock for ever, so it is for its owner and one group (0660): the group
/// `tandem` where the host has one, else the creator's.
class FileLock {
 public:
  /// Opens the file, or makes it. Throws `Error` if that fails, among other reasons because the caller is not
  /// in the group.
  explicit FileLock(const std::filesystem::path& file);

  /// Takes the lock if it is free, and writes this process's number into the file.
  [[nodiscard]] bool try_lock();
  /// Takes a share of the lock if nobody has it alone; nothing is written.
  [[nodiscard]] bool try_share();
  void unlock();
  /// "process 123", as the holder wrote it.
  [[nodiscard]] std::string holder() const;

 private:
  [[nodiscard]] bool take(int operation);

  std::filesystem::path path_;
  OwnedDescriptor file_;
};

/// Whether a process holds the lock on this file, for everybody who can see the file: the kernel's list is
/// read where the file may not be opened.
[[nodiscard]] bool is_locked(const std::filesystem::path& file);

}  // namespace tandem::runners
