#pragma once

#include <filesystem>
#include <string>

#include "specs/foundation/descriptor.hpp"

namespace tandem {

/// An advisory lock on a file, given back by the kernel when its holder dies. The file tells who holds it.
class FileLock {
 public:
  /// Who may open the file can hold the lock for ever, so it is for its owner alone (0600), or for its owner
  /// and one group (0660): the group `tandem` where the host has one, else the creator's.
  enum class For { owner, group };

  /// Opens the file, or makes it. Throws `Error` if that fails. A file for a group may lie where everybody
  /// can make one: it is refused if the caller is not in the group or if a stranger owns it, whose file root
  /// replaces.
  explicit FileLock(const std::filesystem::path& file, For whom = For::owner);

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

}  // namespace tandem
