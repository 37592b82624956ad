#pragma once

#include <filesystem>
#include <string>

#include "runners/descriptor.hpp"

namespace tandem::runners {

/// An advisory lock on a file, given back by the kernel when its holder dies. The file tells who holds it.
class FileLock {
 public:
  /// Opens the file, or makes it for every user. Throws `Error` if that fails.
  explicit FileLock(const std::filesystem::path& file);

  /// Takes the lock if it is free, and writes this process's number into the file.
  [[nodiscard]] bool try_lock();
  /// "process 123", as the holder wrote it.
  [[nodiscard]] std::string holder() const;

 private:
  std::filesystem::path path_;
  OwnedDescriptor file_;
};

}  // namespace tandem::runners
